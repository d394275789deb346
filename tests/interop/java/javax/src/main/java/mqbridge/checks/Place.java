package mqbridge.checks;

/** Where the queue manager is and through which channel it is reached. */
public record Place(String host, int port, String channel, String queueManager) {}
