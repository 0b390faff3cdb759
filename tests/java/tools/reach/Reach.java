// SPDX-License-Identifier: GPL-3.0-or-later
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.StepRequest;
import java.io.File;
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
                    if (e instanceof ClassPrepareEvent) {
                        watchEntries(vm);
                        step(vm, ((ClassPrepareEvent) e).thread());
                    } else if (e instanceof MethodEntryEvent) {
                        before = ((MethodEntryEvent) e).location();
                        line(reached, before);
                        step(vm, ((MethodEntryEvent) e).thread());
                    } else if (e instanceof StepEvent) {
                        Location at = ((StepEvent) e).location();
                        line(reached, at);
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

    private static void step(VirtualMachine vm, ThreadReference thread) {
        vm.eventRequestManager().deleteEventRequests(vm.eventRequestManager().stepRequests());
        StepRequest step = vm.eventRequestManager().createStepRequest(thread, StepRequest.STEP_MIN, StepRequest.STEP_INTO);
        for (String other : OTHERS)
            step.addClassExclusionFilter(other);
        step.enable();
    }

    /** Steps get lost where the virtual machine calls an initialiser: they begin anew there. */
    private static void watchEntries(VirtualMachine vm) {
        MethodEntryRequest entry = vm.eventRequestManager().createMethodEntryRequest();
        for (String other : OTHERS)
            entry.addClassExclusionFilter(other);
        entry.enable();
    }

    private static void line(TreeSet<String> reached, Location at) throws Exception {
        if (at.lineNumber() >= 0) // classes of lambdas have no source
            reached.add(at.sourceName() + ":" + at.lineNumber());
    }

    public static class Test {
        /** Loads the program's classes and does not run them: steps get lost where loading a class and initialising it are one. */
        private static void load(String outer) throws Exception {
            for (String folder : System.getProperty("java.class.path").split(File.pathSeparator)) {
                String[] names = new File(folder).list();
                for (String name : names == null ? new String[0] : names)
                    if (name.equals(outer + ".class") || (name.startsWith(outer + "$") && name.endsWith(".class")))
                        Class.forName(name.substring(0, name.length() - 6), false, Test.class.getClassLoader());
            }
        }

        public static void main(String[] a) throws Exception {
            int code = 0;
            try {
                load(a[0].substring(0, a[0].indexOf('_')));
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
