package mqbridge.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Threads that start together; the time from there to the end of the last. */
final class Crowd {
    /** What one thread does. */
    interface Work {
        void run() throws Exception;
    }

    private final CountDownLatch gate = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private volatile Exception failed;

    void add(Work work) {
        Thread thread = new Thread(() -> {
            try {
                gate.await();
                work.run();
            } catch (Exception exception) {
                failed = exception;
            }
        });
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Seconds. */
    double run() throws Exception {
        long began = System.nanoTime();
        gate.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        if (failed != null) {
            throw failed;
        }
        return (System.nanoTime() - began) / 1e9;
    }
}
