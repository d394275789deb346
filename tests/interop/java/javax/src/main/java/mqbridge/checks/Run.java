package mqbridge.checks;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs the checks of one class, one after the other: every public method without arguments that the class declares.
 *
 * <p>Arguments: name of the class, host, port, channel, queue manager; names of single checks. For each check two kinds of lines on standard
 * output: {@code check NAME ok|failed}, and the trace of a failure, each line with a blank in front.
 */
public final class Run {
    private static final int SECONDS_A_CHECK = 100;

    private Run() {}

    public static void main(String[] arguments) throws Exception {
        Place place = new Place(arguments[1], Integer.parseInt(arguments[2]), arguments[3], arguments[4]);
        Class<?> group = Class.forName("mqbridge.checks." + arguments[0]);
        Method[] checks = group.getDeclaredMethods();
        Arrays.sort(checks, Comparator.comparing(Method::getName));
        ExecutorService executor = Executors.newCachedThreadPool(Run::daemon);
        for (Method check : checks) {
            boolean chosen = arguments.length <= 5 || Arrays.asList(arguments).indexOf(check.getName()) >= 5;
            if (!Modifier.isPublic(check.getModifiers()) || check.getParameterCount() > 0 || !chosen) {
                continue;
            }
            report(check.getName(), run(executor, group, place, check));
        }
        System.out.println("done");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Thread daemon(Runnable what) {
        Thread thread = new Thread(what);
        thread.setDaemon(true);
        return thread;
    }

    private static Throwable run(ExecutorService executor, Class<?> group, Place place, Method check)
            throws InterruptedException {
        Future<?> outcome = executor.submit(() -> {
            Program program = (Program) group.getDeclaredConstructor(Place.class).newInstance(place);
            check.invoke(program);
            program.end();
            return null;
        });
        try {
            outcome.get(SECONDS_A_CHECK, TimeUnit.SECONDS);
            return null;
        } catch (TimeoutException late) {
            outcome.cancel(true);
            return new AssertionError("not done within " + SECONDS_A_CHECK + " seconds");
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            return cause instanceof InvocationTargetException ? cause.getCause() : cause;
        }
    }

    private static void report(String name, Throwable failure) {
        StringWriter text = new StringWriter();
        if (failure != null) {
            failure.printStackTrace(new PrintWriter(text));
        }
        System.out.println("check " + name + (failure == null ? " ok" : " failed"));
        text.toString().lines().forEach(line -> System.out.println(" " + line));
    }
}
