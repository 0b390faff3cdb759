// SPDX-License-Identifier: GPL-3.0-or-later
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.StepRequest;
import java.util.Map;
import java.util.TreeSet;

/**
 * CLASSPATH TESTCLASS METHOD: runs a test, instruction by instruction, and prints what of the program it reached: "Average.java:7" a line, "Average.middle(II)I
 * 12 20" that what is at 12 was followed by what is at 20. The exit status is the test's.
 */
public class Reach {
    private static final String[] OTHERS = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*", "assay.*", "org.*", "gov.*", "Reach*", "*_Test"};

    public static void main(String[] a) throws Exception {
        LaunchingConnector launch = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> argument = launch.defaultArguments();
        argument.get("main").setValue("Reach$Test " + a[1] + " " + a[2]);
        argument.get("options").setValue("-XX:TieredStopAtLevel=1 -ea -cp " + a[0]);
        VirtualMachine vm = launch.launch(argument);
        ClassPrepareRequest prepare = vm.eventRequestManager().createClassPrepareRequest();
        prepare.addClassFilter(a[1]);
        prepare.enable();
        TreeSet<String> reached = new TreeSet<>();
        Location before = null;
        try {
            for (;;) {
                EventSet set = vm.eventQueue().remove();
                for (Event e : set)
                    if (e instanceof ClassPrepareEvent)
                        step(vm, (ClassPrepareEvent) e);
                    else if (e instanceof StepEvent) {
                        Location at = ((StepEvent) e).location();
                        if (at.lineNumber() >= 0) // classes of lambdas have no source
                            reached.add(at.sourceName() + ":" + at.lineNumber());
                        if (before != null && before.method().equals(at.method()))
                            reached.add(at.declaringType().name() + "." + at.method().name() + at.method().signature() + " "
                                + before.codeIndex() + " " + at.codeIndex());
                        before = at;
                    }
                set.resume();
            }
        } catch (VMDisconnectedException e) {
            vm.process().waitFor();
        }
        for (String line : reached)
            System.out.println(line);
        System.exit(vm.process().exitValue());
    }

    private static void step(VirtualMachine vm, ClassPrepareEvent e) {
        StepRequest step = vm.eventRequestManager().createStepRequest(e.thread(), StepRequest.STEP_MIN, StepRequest.STEP_INTO);
        for (String other : OTHERS)
            step.addClassExclusionFilter(other);
        step.enable();
    }

    public static class Test {
        public static void main(String[] a) throws Exception {
            int code = 0;
            try {
                Class<?> c = Class.forName(a[0]);
                c.getMethod(a[1]).invoke(c.getDeclaredConstructor().newInstance());
            } catch (Throwable t) {
                t.printStackTrace();
                code = 1;
            }
            Runtime.getRuntime().halt(code);
        }
    }
}
