// SPDX-License-Identifier: GPL-3.0-or-later
import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.ClassPrepareRequest;
import java.util.Map;
import java.util.TreeSet;

/** CLASSPATH CLASS TESTCLASS METHOD: runs a test and prints the lines of the class and those inside it that were reached; the exit status is the test's. */
public class Reach {
    public static void main(String[] a) throws Exception {
        LaunchingConnector launch = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> argument = launch.defaultArguments();
        argument.get("main").setValue("Reach$Test " + a[2] + " " + a[3]);
        argument.get("options").setValue("-ea -cp " + a[0]);
        VirtualMachine vm = launch.launch(argument);
        for (String name : new String[] {a[1], a[1] + "$*"}) {
            ClassPrepareRequest prepare = vm.eventRequestManager().createClassPrepareRequest();
            prepare.addClassFilter(name);
            prepare.enable();
        }
        TreeSet<String> reached = new TreeSet<>();
        try {
            for (;;) {
                EventSet set = vm.eventQueue().remove();
                for (Event e : set)
                    if (e instanceof ClassPrepareEvent)
                        watch(vm, (ClassPrepareEvent) e);
                    else if (e instanceof BreakpointEvent) {
                        Location at = ((BreakpointEvent) e).location();
                        reached.add(at.sourceName() + ":" + at.lineNumber());
                        e.request().disable();
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

    private static void watch(VirtualMachine vm, ClassPrepareEvent e) {
        try {
            for (Location l : e.referenceType().allLineLocations())
                vm.eventRequestManager().createBreakpointRequest(l).enable();
        } catch (AbsentInformationException none) {
            // nothing to be reached
        }
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
