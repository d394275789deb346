package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.*;

import com.ibm.mq.MQAsyncStatus;
import com.ibm.mq.MQException;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import java.util.Arrays;
import java.util.GregorianCalendar;

/** What a put checks, fills in and answers: identifiers, context, descriptor fields, units of work. */
public class JavaPuts extends JavaProgram {
    private static final byte[] ID = "an id of twenty-four byt".getBytes();

    private final MQQueueManager manager = connect();
    private final MQQueue queue = shared(manager);

    public JavaPuts(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private static MQMessage put(MQQueue to, MQMessage message, int options) throws Exception {
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = options;
        to.put(message, how);
        return message;
    }

    private MQMessage there() throws Exception {
        return fetch(queue, MQGMO_NO_WAIT, 0);
    }

    private MQQueue opened(int options) throws Exception {
        return manager.accessQueue(queue.getName().trim(), options);
    }

    /** A put of a message, changed in one way, fails with the reason. */
    private void refused(int reason, Change change) throws Exception {
        MQMessage message = message("x");
        change.of(message);
        Expect.reason(reason, () -> put(queue, message, 0));
    }

    private interface Change {
        void of(MQMessage message);
    }

    public void identifiersAreKeptOrMade() throws Exception {
        MQMessage message = message("x");
        message.messageId = ID;
        message.correlationId = ID;
        put(queue, message, 0);
        Expect.equal(ID, there().messageId);
        put(queue, message, MQPMO_NEW_MSG_ID);
        MQMessage found = there();
        Expect.that(!Arrays.equals(ID, found.messageId), "the id is not new");
        Expect.equal(message.messageId, found.messageId);
        Expect.equal(ID, found.correlationId);
        put(queue, message, MQPMO_NEW_CORREL_ID);
        Expect.that(!Arrays.equals(ID, there().correlationId), "the correlation id is not new");
    }

    public void aMadeIdentifierNamesTheQueueManager() throws Exception {
        MQMessage message = put(queue, message("x"), 0);
        String name = String.format("%-12.12s", place.queueManager());
        Expect.equal("AMQ " + name, new String(message.messageId, 0, 16, "US-ASCII"));
        MQMessage other = put(queue, message("x"), 0);
        Expect.that(!Arrays.equals(message.messageId, other.messageId), "two messages have one id");
    }

    public void theContextOfAProgramIsTold() throws Exception {
        MQMessage message = message("x");
        message.userId = "nobody";
        put(queue, message, MQPMO_DEFAULT_CONTEXT);
        MQMessage found = there();
        Expect.equal("checks", found.userId.trim());
        Expect.equal("checks", found.putApplicationName.trim());
        Expect.equal(MQAT_JAVA, found.putApplicationType);
        long age = System.currentTimeMillis() - found.putDateTime.getTimeInMillis();
        Expect.that(Math.abs(age) < 60_000, "put " + age + " ms ago");
    }

    public void noContextIsEmpty() throws Exception {
        put(queue, message("x"), MQPMO_NO_CONTEXT);
        MQMessage found = there();
        Expect.equal("", found.userId.trim());
        Expect.equal("", found.putApplicationName.trim());
        Expect.equal(MQAT_NO_CONTEXT, found.putApplicationType);
    }

    private static MQMessage told() throws Exception {
        MQMessage message = message("x");
        message.userId = "somebody";
        message.applicationIdData = "identity data";
        message.putApplicationName = "a program";
        message.putApplicationType = MQAT_USER_FIRST;
        message.applicationOriginData = "from";
        message.putDateTime = new GregorianCalendar(2020, 1, 3, 4, 5, 6);
        return message;
    }

    public void allContextIsSet() throws Exception {
        put(opened(MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT), told(), MQPMO_SET_ALL_CONTEXT);
        MQMessage found = there();
        Expect.equal("somebody", found.userId.trim());
        Expect.equal("identity data", found.applicationIdData.trim());
        Expect.equal("a program", found.putApplicationName.trim());
        Expect.equal(MQAT_USER_FIRST, found.putApplicationType);
        Expect.equal("from", found.applicationOriginData);
        Expect.equal(2020, found.putDateTime.get(java.util.Calendar.YEAR));
    }

    public void identityContextIsSet() throws Exception {
        put(opened(MQOO_OUTPUT | MQOO_SET_IDENTITY_CONTEXT), told(), MQPMO_SET_IDENTITY_CONTEXT);
        MQMessage found = there();
        Expect.equal("somebody", found.userId.trim());
        Expect.equal("checks", found.putApplicationName.trim());
    }

    public void contextIsPassedOn() throws Exception {
        MQQueue from = shared(manager);
        MQQueue all = manager.accessQueue(from.getName().trim(), MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT);
        MQQueue source = manager.accessQueue(from.getName().trim(), IN | MQOO_SAVE_ALL_CONTEXT);
        int options = MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT | MQOO_PASS_IDENTITY_CONTEXT;
        MQQueue target = opened(options);
        for (int pass : new int[] {MQPMO_PASS_ALL_CONTEXT, MQPMO_PASS_IDENTITY_CONTEXT}) {
            put(all, told(), MQPMO_SET_ALL_CONTEXT);
            fetch(source, MQGMO_NO_WAIT, 0);
            MQPutMessageOptions how = new MQPutMessageOptions();
            how.options = pass;
            how.contextReference = source;
            target.put(message("y"), how);
            MQMessage found = there();
            Expect.equal("somebody", found.userId.trim());
            String program = pass == MQPMO_PASS_ALL_CONTEXT ? "a program" : "checks";
            Expect.equal(program, found.putApplicationName.trim());
        }
    }

    public void contextNeedsAHandleForIt() throws Exception {
        Expect.reason(MQRC_NOT_OPEN_FOR_SET_ALL, () -> put(queue, told(), MQPMO_SET_ALL_CONTEXT));
        Expect.reason(MQRC_NOT_OPEN_FOR_SET_IDENT, () -> put(queue, told(), MQPMO_SET_IDENTITY_CONTEXT));
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.contextReference = opened(IN | MQOO_SAVE_ALL_CONTEXT);
        how.options = MQPMO_PASS_ALL_CONTEXT;
        Expect.reason(MQRC_NOT_OPEN_FOR_PASS_ALL, () -> queue.put(message("y"), how));
        how.options = MQPMO_PASS_IDENTITY_CONTEXT;
        Expect.reason(MQRC_NOT_OPEN_FOR_PASS_IDENT, () -> queue.put(message("y"), how));
        MQQueue target = opened(MQOO_OUTPUT | MQOO_PASS_IDENTITY_CONTEXT);
        Expect.reason(MQRC_CONTEXT_NOT_AVAILABLE, () -> target.put(message("y"), how));
    }

    public void optionsThatContradictAre2046() throws Exception {
        int[] wrong = {
            MQPMO_SYNCPOINT | MQPMO_NO_SYNCPOINT,
            MQPMO_NO_CONTEXT | MQPMO_DEFAULT_CONTEXT,
            MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE,
        };
        for (int options : wrong) {
            Expect.reason(MQRC_OPTIONS_ERROR, () -> put(queue, message("x"), options));
        }
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = MQPMO_LOGICAL_ORDER;
        Expect.reason(MQRC_OPTIONS_ERROR, () -> manager.put(queue.getName().trim(), message("x"), how));
    }

    public void aHandleForInputPutsNothing() throws Exception {
        Expect.reason(MQRC_NOT_OPEN_FOR_OUTPUT, () -> put(opened(IN), message("x"), 0));
    }

    public void wrongDescriptorFieldsAreRefused() throws Exception {
        refused(MQRC_EXPIRY_ERROR, message -> message.expiry = 0);
        refused(MQRC_EXPIRY_ERROR, message -> message.expiry = -2);
        refused(MQRC_PRIORITY_ERROR, message -> message.priority = -7);
        refused(MQRC_PERSISTENCE_ERROR, message -> message.persistence = 7);
        refused(MQRC_MSG_TYPE_ERROR, message -> message.messageType = 50);
        refused(MQRC_MISSING_REPLY_TO_Q, message -> message.messageType = MQMT_REQUEST);
        refused(MQRC_MISSING_REPLY_TO_Q, message -> message.report = MQRO_COA);
        refused(MQRC_REPORT_OPTIONS_ERROR, message -> message.report = 0x00040000);
        refused(MQRC_MSG_FLAGS_ERROR, message -> message.messageFlags = 0x800);
        Expect.equal(0, queue.getCurrentDepth());
    }

    public void aTooHighPriorityWarns() throws Exception {
        put(queue, message("nine"), 0);
        MQMessage high = message("twelve");
        high.priority = 12;
        Expect.reason(MQRC_PRIORITY_EXCEEDS_MAXIMUM, () -> put(queue, high, 0));
        MQMessage found = there();
        Expect.equal("twelve", text(found));
        Expect.equal(12, found.priority);
    }

    public void defaultsAreThoseOfTheQueue() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.DEFAULTS) DEFPRTY(4) DEFPSIST(YES) REPLACE");
        MQQueue defaults = manager.accessQueue("CHECKS.DEFAULTS", BOTH);
        MQMessage message = message("x");
        message.priority = MQPRI_PRIORITY_AS_Q_DEF;
        message.persistence = MQPER_PERSISTENCE_AS_Q_DEF;
        put(defaults, message, 0);
        MQMessage found = fetch(defaults, MQGMO_NO_WAIT, 0);
        Expect.equal(4, found.priority);
        Expect.equal(MQPER_PERSISTENT, found.persistence);
    }

    public void aTemporaryQueueKeepsNothingPersistent() throws Exception {
        MQMessage message = message("x");
        message.persistence = MQPER_PERSISTENT;
        Expect.reason(MQRC_PERSISTENT_NOT_ALLOWED, () -> put(queue, message, 0));
    }

    public void priorityOrdersMessages() throws Exception {
        int[] priorities = {3, 9, 0, 9, 5};
        for (int index = 0; index < priorities.length; index++) {
            MQMessage message = message("m" + index);
            message.priority = priorities[index];
            put(queue, message, 0);
        }
        for (String expected : new String[] {"m1", "m3", "m4", "m0", "m2"}) {
            Expect.equal(expected, text(there()));
        }
    }

    public void arrivalOrdersAQueueThatSaysSo() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.FIFO) MSGDLVSQ(FIFO) REPLACE");
        MQQueue fifo = manager.accessQueue("CHECKS.FIFO", BOTH);
        for (int priority : new int[] {3, 9, 0}) {
            MQMessage message = message("m" + priority);
            message.priority = priority;
            put(fifo, message, 0);
        }
        for (String expected : new String[] {"m3", "m9", "m0"}) {
            Expect.equal(expected, get(fifo, MQGMO_NO_WAIT));
        }
    }

    public void theReplyQueueManagerIsFilledIn() throws Exception {
        MQMessage message = message("x");
        message.messageType = MQMT_REQUEST;
        message.replyToQueueName = "REPLIES";
        put(queue, message, 0);
        Expect.equal(place.queueManager(), there().replyToQueueManagerName.trim());
    }

    public void theResolvedNamesAreTold() throws Exception {
        MQPutMessageOptions how = new MQPutMessageOptions();
        queue.put(message("x"), how);
        Expect.equal(queue.getName().trim(), how.resolvedQueueName.trim());
        Expect.equal(place.queueManager(), how.resolvedQueueManagerName.trim());
    }

    public void expiryRunsDown() throws Exception {
        MQMessage message = message("x");
        message.expiry = 2;
        put(queue, message, 0);
        message.expiry = 3000;
        put(queue, message, 0);
        Thread.sleep(300);
        MQMessage found = there();
        Expect.that(found.expiry > 2900 && found.expiry < 3000, "expiry " + found.expiry);
    }

    public void aFailedAsynchronousPutIsReported() throws Exception {
        if (place.channel().endsWith(".0")) {
            return;
        }
        MQQueue full = manager.accessQueue("CHECKS.FULL", OUT);
        put(full, message("x"), MQPMO_ASYNC_RESPONSE | MQPMO_NO_SYNCPOINT);
        put(queue, message("x"), MQPMO_ASYNC_RESPONSE | MQPMO_NO_SYNCPOINT);
        MQAsyncStatus status = manager.getAsyncStatus();
        Expect.equal(MQRC_Q_FULL, status.reasonCode);
        Expect.equal(1, status.putFailureCount);
        Expect.equal(1, status.putSuccessCount);
        Expect.equal("CHECKS.FULL", status.objectName.trim());
        Expect.equal(0, manager.getAsyncStatus().putFailureCount);
    }

    public void aFailedAsynchronousPutBacksOut() throws Exception {
        if (place.channel().endsWith(".0")) {
            return;
        }
        MQQueue full = manager.accessQueue("CHECKS.FULL", OUT);
        put(queue, message("x"), MQPMO_ASYNC_RESPONSE | MQPMO_SYNCPOINT);
        put(full, message("x"), MQPMO_ASYNC_RESPONSE | MQPMO_SYNCPOINT);
        Expect.reason(MQRC_BACKED_OUT, manager::commit);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, this::there);
    }

    public void backoutsAreCountedAndThePlaceIsKept() throws Exception {
        put(queue, "one");
        put(queue, "two");
        for (int count = 0; count < 3; count++) {
            MQMessage found = fetch(queue, MQGMO_SYNCPOINT, 0);
            Expect.equal("one", text(found));
            Expect.equal(count, found.backoutCount);
            manager.backout();
        }
        Expect.equal("one", get(queue, MQGMO_NO_WAIT));
    }

    public void aFullQueueTakesAMessageBack() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.SMALL) MAXDEPTH(2) REPLACE");
        MQQueue small = manager.accessQueue("CHECKS.SMALL", BOTH);
        put(small, "one");
        put(small, "two");
        Expect.reason(MQRC_Q_FULL, () -> put(small, "three"));
        Expect.equal("one", get(small, MQGMO_SYNCPOINT));
        put(small, "three");
        manager.backout();
        Expect.equal(3, small.getCurrentDepth());
        for (String expected : new String[] {"one", "two", "three"}) {
            Expect.equal(expected, get(small, MQGMO_NO_WAIT));
        }
    }

    public void onlyPersistentMessagesMayBeInTheUnitOfWork() throws Exception {
        MQQueue kept = manager.accessQueue("CHECKS.PERMANENT", BOTH, null, "CHECK.*", null);
        for (int persistence : new int[] {MQPER_PERSISTENT, MQPER_NOT_PERSISTENT}) {
            MQMessage message = message("p" + persistence);
            message.persistence = persistence;
            put(kept, message, 0);
        }
        Expect.equal("p1", get(kept, MQGMO_SYNCPOINT_IF_PERSISTENT));
        Expect.equal("p0", get(kept, MQGMO_SYNCPOINT_IF_PERSISTENT));
        manager.backout();
        Expect.equal("p1", get(kept, MQGMO_NO_WAIT));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(kept, MQGMO_NO_WAIT));
    }

    public void disconnectingCommits() throws Exception {
        MQQueueManager other = connect();
        MQQueue out = other.accessQueue(queue.getName().trim(), OUT);
        put(out, message("kept"), MQPMO_SYNCPOINT);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, this::there);
        other.disconnect();
        Expect.equal("kept", text(there()));
    }

    public void aMessageOverTheLimitIsRefused() throws Exception {
        MQMessage message = message(new byte[(4 << 20) + 1]);
        try {
            put(queue, message, 0);
            throw new AssertionError("put");
        } catch (MQException error) {
            Expect.that(
                    error.reasonCode == MQRC_MSG_TOO_BIG_FOR_Q || error.reasonCode == MQRC_DATA_LENGTH_ERROR,
                    "reason " + error.reasonCode);
        }
    }
}
