// SPDX-License-Identifier: GPL-3.0-or-later
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.ClassPrepareRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * usage: Reach CLASSPATH TESTCLASS METHOD
 *
 * Runs a test in a virtual machine of its own, with a breakpoint at each instruction of the program, and prints what was reached, one to a line and
 * sorted. "Average.java:7" is a line of the source; "Average.middle(II)I 12 20" says that the instruction at 20 came after that at 12. The exit
 * status is 0 if the test passed and 1 if it failed; then its stack trace is on standard error. What the program prints is dropped.
 *
 * Stepping through the program would not do: steps get lost in initialisers of classes, and a method that only returns is not called at all while the
 * virtual machine steps.
 */
public class Reach {
    /** Classes that are not the program's: the JDK, what stands for its inputs and for JUnit, this one, and the test. */
    private static final String[] OTHERS = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*", "assay.*", "org.*", "gov.*", "Reach*", "*_Test"};

    public static void main(String[] a) throws Exception {
        LaunchingConnector launch = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> argument = launch.defaultArguments();
        argument.get("main").setValue("Reach$Test " + a[1] + " " + a[2]);
        argument.get("options").setValue("-XX:TieredStopAtLevel=1 -ea -cp " + a[0]);
        VirtualMachine vm = launch.launch(argument);
        pass(vm.process().getInputStream(), OutputStream.nullOutputStream());
        Thread errors = pass(vm.process().getErrorStream(), System.err);
        ClassPrepareRequest prepare = vm.eventRequestManager().createClassPrepareRequest();
        for (String other : OTHERS)
            prepare.addClassExclusionFilter(other);
        prepare.enable();
        TreeSet<String> reached = new TreeSet<>();
        Map<ThreadReference, Location> last = new HashMap<>();
        try {
            for (;;) {
                EventSet set = vm.eventQueue().remove();
                for (Event e : set)
                    if (e instanceof ClassPrepareEvent) {
                        breakEverywhere(vm, ((ClassPrepareEvent) e).referenceType());
                    } else if (e instanceof BreakpointEvent) {
                        Location at = ((BreakpointEvent) e).location(), before = last.put(((BreakpointEvent) e).thread(), at);
                        if (at.lineNumber() >= 0) // classes of lambdas have no source
                            reached.add(at.sourceName() + ":" + at.lineNumber());
                        if (before != null && before.method().equals(at.method()))
                            reached.add(at.declaringType().name() + "." + at.method().name() + at.method().signature() + " "
                                + before.codeIndex() + " " + at.codeIndex());
                    }
                set.resume();
            }
        } catch (VMDisconnectedException e) {
            vm.process().waitFor();
            errors.join();
        }
        for (String line : reached)
            System.out.println(line);
        System.exit(vm.process().exitValue());
    }

    /** Reads what a process writes, which would wait for ever once its pipe is full. */
    private static Thread pass(InputStream from, OutputStream to) {
        Thread t = new Thread(() -> {
            try {
                from.transferTo(to);
            } catch (IOException e) {
                // the process has ended
            }
        });
        t.start();
        return t;
    }

    private static void breakEverywhere(VirtualMachine vm, ReferenceType type) {
        for (Method method : type.methods()) {
            byte[] code = method.bytecodes();
            for (int at = 0; at < code.length; at += length(code, at))
                vm.eventRequestManager().createBreakpointRequest(method.locationOfCodeIndex(at)).enable();
        }
    }

    private static int word(byte[] code, int at) {
        return (code[at] & 255) << 24 | (code[at + 1] & 255) << 16 | (code[at + 2] & 255) << 8 | code[at + 3] & 255;
    }

    /** How many bytes the instruction at this index takes (section 6.5 of the specification of the virtual machine). */
    private static int length(byte[] code, int at) {
        int operands = (at + 4 & ~3) - at; // of a switch: they are aligned
        switch (code[at] & 255) {
        case 16: case 18: case 21: case 22: case 23: case 24: case 25: case 54: case 55: case 56: case 57: case 58: case 169: case 188:
            return 2; // bipush, ldc, loads, stores, ret, newarray
        case 17: case 19: case 20: case 132: case 187: case 189: case 192: case 193: case 198: case 199:
            return 3; // sipush, ldc_w, ldc2_w, iinc, new, anewarray, checkcast, instanceof, ifnull, ifnonnull
        case 197:
            return 4; // multianewarray
        case 185: case 186: case 200: case 201:
            return 5; // invokeinterface, invokedynamic, goto_w, jsr_w
        case 170: // tableswitch
            return operands + 12 + 4 * (word(code, at + operands + 8) - word(code, at + operands + 4) + 1);
        case 171: // lookupswitch
            return operands + 8 + 8 * word(code, at + operands + 4);
        case 196: // wide
            return (code[at + 1] & 255) == 132 ? 6 : 4;
        default:
            int op = code[at] & 255;
            return op >= 153 && op <= 168 || op >= 178 && op <= 184 ? 3 : 1; // branches; fields and calls
        }
    }

    /** What the other virtual machine runs: TESTCLASS METHOD. */
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
