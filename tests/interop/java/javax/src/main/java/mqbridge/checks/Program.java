package mqbridge.checks;

/** One check: a program that connects to the queue manager at its place. */
abstract class Program {
    final Place place;

    Program(Place place) {
        this.place = place;
    }

    /** Ends what the program has open, after a check that held. */
    void end() throws Exception {}

    /** Does something in a moment, in another thread. */
    static Thread later(Expect.Action action) {
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(100);
                action.run();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
