package mqbridge.bench;

/** What can be measured with one kind of client. */
interface Rounds {
    /** Does a round; the members of a JSON object, {@code "seconds"} among them. */
    String run(String[] command) throws Exception;
}
