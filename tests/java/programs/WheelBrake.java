// SPDX-License-Identifier: GPL-3.0-or-later
import assay.Input;

/** A wheel brake controller: pedal, automatic brake and skid sensor choose the pressures of two lines. */
public class WheelBrake {
    private int mode;
    private int normal, alternate;
    private boolean wasSkidding;

    private void step(int pedal, boolean automatic, boolean skid) {
        int wanted;
        if (pedal == 0)
            wanted = 0;
        else if (pedal == 1)
            wanted = 10;
        else if (pedal == 2)
            wanted = 25;
        else if (pedal == 3)
            wanted = 50;
        else if (pedal == 4)
            wanted = 80;
        else
            wanted = 100;
        if (automatic)
            mode = mode + 1 & 3;
        else
            mode = 0;
        int limit = 100 - 20 * mode;
        if (skid)
            alternate = wanted - limit;
        else
            normal = wanted + mode;
        wasSkidding = skid;
    }

    static void run(int steps) {
        WheelBrake brake = new WheelBrake();
        for (int i = 0; i < steps; i++)
            brake.step(Input.anyInt(), Input.anyBoolean(), Input.anyBoolean());
        assert brake.normal <= 103 && brake.alternate <= 60;
    }

    static void step1() { new WheelBrake().step(Input.anyInt(), Input.anyBoolean(), Input.anyBoolean()); }
    static void step2() {
        WheelBrake brake = new WheelBrake();
        for (int i = 0; i < 2; i++)
            brake.step(Input.anyInt(), Input.anyBoolean(), Input.anyBoolean());
    }
    static void check3() { run(3); }
    static void check10() { run(10); }
}
