// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;

/** Collision avoidance of two aircraft: which way to go, by altitudes, rates and what the other one reports. */
public class Avoidance {
    static final int NONE = 0, UP = 1, DOWN = 2;
    static final int RATE_MAX = 600, SEPARATION_MIN = 600, CROSSING = 100, MARGIN = 300;
    static final int EQUIPPED = 1, NO_INTENT = 0;

    int separation, ownAltitude, ownRate, otherAltitude, layer, upSeparation, downSeparation, otherReport,
        otherKind, climbInhibit;
    boolean sure, validReports;
    final int[] layers = {400, 500, 640, 740};

    int threshold() {
        return layers[layer];
    }

    int climbSeparation() {
        return climbInhibit != 0 ? upSeparation + CROSSING : upSeparation;
    }

    boolean ownBelow() {
        return ownAltitude < otherAltitude;
    }

    boolean ownAbove() {
        return otherAltitude < ownAltitude;
    }

    boolean mayClimb() {
        boolean upward = climbSeparation() > downSeparation;
        if (upward)
            return !ownBelow() || (ownBelow() && !(downSeparation >= threshold()));
        return ownAbove() && separation >= MARGIN && upSeparation >= threshold();
    }

    boolean mayDescend() {
        boolean upward = climbSeparation() > downSeparation;
        if (upward)
            return ownBelow() && separation >= MARGIN && downSeparation >= threshold();
        return !ownAbove() || (ownAbove() && upSeparation >= threshold());
    }

    int advise() {
        boolean enabled = sure && ownRate <= RATE_MAX && separation > SEPARATION_MIN;
        boolean equipped = otherKind == EQUIPPED;
        boolean silent = validReports && otherReport == NO_INTENT;
        int advice = NONE;
        if (enabled && ((equipped && silent) || !equipped)) {
            boolean up = mayClimb() && ownBelow();
            boolean down = mayDescend() && ownAbove();
            if (up && down)
                advice = NONE;
            else if (up)
                advice = UP;
            else if (down)
                advice = DOWN;
            else
                advice = NONE;
        }
        return advice;
    }

    static int once() {
        Avoidance a = new Avoidance();
        a.separation = Input.anyInt();
        a.sure = Input.anyBoolean();
        a.validReports = Input.anyBoolean();
        a.ownAltitude = Input.anyInt();
        a.ownRate = Input.anyInt();
        a.otherAltitude = Input.anyInt();
        a.upSeparation = Input.anyInt();
        a.downSeparation = Input.anyInt();
        a.otherReport = Input.anyInt();
        a.otherKind = Input.anyInt();
        a.climbInhibit = Input.anyInt();
        return a.advise();
    }

    static void step1() { once(); }

    static void steps(int n) {
        for (int i = 0; i < n; i++) {
            int advice = once();
            assert advice >= NONE && advice <= DOWN;
        }
    }

    static void step2() { steps(2); }
    static void step10() { steps(10); }
}
