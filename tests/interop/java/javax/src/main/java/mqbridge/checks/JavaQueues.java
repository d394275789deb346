package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.*;

import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;

/** Opening and closing, dynamic, alias and remote queues, inquire and set. */
public class JavaQueues extends JavaProgram {
    private final MQQueueManager manager = connect();

    public JavaQueues(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private MQQueue model(String model, String name) throws Exception {
        return manager.accessQueue(model, BOTH, null, name, null);
    }

    public void aDynamicNameBeginsAsAsked() throws Exception {
        String name = model("CHECKS.TEMPORARY", "ASKED.FOR.*").getName().trim();
        Expect.that(name.matches("ASKED\\.FOR\\.[0-9A-F]{16}"), name);
        Expect.equal("ASKED.EXACTLY", model("CHECKS.TEMPORARY", "ASKED.EXACTLY").getName().trim());
    }

    public void aDynamicNameIsTakenOnce() throws Exception {
        model("CHECKS.TEMPORARY", "TAKEN.ONCE");
        Expect.reason(MQRC_OBJECT_ALREADY_EXISTS, () -> model("CHECKS.TEMPORARY", "TAKEN.ONCE"));
        Expect.reason(MQRC_DYNAMIC_Q_NAME_ERROR, () -> model("CHECKS.TEMPORARY", "NOT*ALLOWED"));
    }

    public void aTemporaryQueueGoesWithItsHandle() throws Exception {
        MQQueue queue = model("CHECKS.TEMPORARY", "CHECK.*");
        String name = queue.getName().trim();
        put(queue, "x");
        MQQueueManager other = connect();
        MQQueue seen = other.accessQueue(name, OUT);
        Expect.equal(MQQDT_TEMPORARY_DYNAMIC, queue.getDefinitionType());
        queue.close();
        Expect.reason(MQRC_Q_DELETED, () -> put(seen, "y"));
        Expect.reason(MQRC_UNKNOWN_OBJECT_NAME, () -> other.accessQueue(name, OUT));
        other.disconnect();
    }

    public void aTemporaryQueueGoesWithTheConnection() throws Exception {
        MQQueueManager other = connect();
        String name = shared(other).getName().trim();
        manager.accessQueue(name, MQOO_INQUIRE).close();
        other.disconnect();
        Expect.reason(MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue(name, MQOO_INQUIRE));
    }

    public void onlyItsMakerDeletesATemporaryQueue() throws Exception {
        MQQueue queue = model("CHECKS.TEMPORARY", "CHECK.*");
        MQQueueManager other = connect();
        MQQueue seen = other.accessQueue(queue.getName().trim(), OUT);
        seen.setCloseOptions(MQCO_DELETE);
        Expect.reason(MQRC_OPTION_NOT_VALID_FOR_TYPE, seen::close);
        put(queue, "still there");
        other.disconnect();
    }

    public void aPermanentQueueIsDeletedWhenEmpty() throws Exception {
        MQQueue queue = model("CHECKS.PERMANENT", "CHECK.*");
        String name = queue.getName().trim();
        put(queue, "x");
        queue.setCloseOptions(MQCO_DELETE);
        Expect.reason(MQRC_Q_NOT_EMPTY, queue::close);
        MQQueue again = manager.accessQueue(name, BOTH);
        Expect.equal(MQQDT_PERMANENT_DYNAMIC, again.getDefinitionType());
        get(again, MQGMO_NO_WAIT);
        again.setCloseOptions(MQCO_DELETE);
        again.close();
        Expect.reason(MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue(name, OUT));
    }

    public void aPermanentQueueIsPurged() throws Exception {
        MQQueue queue = model("CHECKS.PERMANENT", "CHECK.*");
        String name = queue.getName().trim();
        queue.close();
        MQQueue again = manager.accessQueue(name, BOTH);
        put(again, "x");
        again.setCloseOptions(MQCO_DELETE_PURGE);
        again.close();
        Expect.reason(MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue(name, OUT));
    }

    public void aDefinedQueueIsNotDeletedByClosing() throws Exception {
        MQQueue queue = manager.accessQueue("DEV.QUEUE.1", OUT);
        queue.setCloseOptions(MQCO_DELETE);
        Expect.reason(MQRC_OPTION_NOT_VALID_FOR_TYPE, queue::close);
        manager.accessQueue("DEV.QUEUE.1", OUT).close();
    }

    public void anAliasIsItsBaseQueue() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.BASE) REPLACE");
        Console.mqsc("DEFINE QALIAS(CHECKS.ALIAS) TARGET(CHECKS.BASE) DEFPRTY(6) REPLACE");
        MQQueue alias = manager.accessQueue("CHECKS.ALIAS", OUT | MQOO_INQUIRE);
        MQMessage message = message("x");
        message.priority = MQPRI_PRIORITY_AS_Q_DEF;
        alias.put(message, new MQPutMessageOptions());
        MQMessage found = fetch(manager.accessQueue("CHECKS.BASE", IN), MQGMO_NO_WAIT, 0);
        Expect.equal("x", text(found));
        Expect.equal(6, found.priority);
        Expect.equal("CHECKS.BASE", alias.getAttributeString(MQCA_BASE_OBJECT_NAME, 48).trim());
        Console.mqsc("ALTER QALIAS(CHECKS.ALIAS) PUT(DISABLED)");
        Expect.reason(MQRC_PUT_INHIBITED, () -> put(manager.accessQueue("CHECKS.ALIAS", OUT), "x"));
        put(manager.accessQueue("CHECKS.BASE", OUT), "x");
    }

    public void anAliasOfNothingIs2082() throws Exception {
        Console.mqsc("DEFINE QALIAS(CHECKS.DANGLING) TARGET(CHECKS.NOWHERE) REPLACE");
        Expect.reason(MQRC_UNKNOWN_ALIAS_BASE_Q, () -> manager.accessQueue("CHECKS.DANGLING", OUT));
    }

    public void aRemoteQueueIsATransmissionQueueAway() throws Exception {
        MQQueue transmission = manager.accessQueue("CHECKS.XMITQ", IN | MQOO_BROWSE | MQOO_INQUIRE);
        int before = transmission.getCurrentDepth();
        MQQueue remote = manager.accessQueue("CHECKS.REMOTE", OUT);
        MQPutMessageOptions how = new MQPutMessageOptions();
        remote.put(message("away"), how);
        Expect.equal("ANY", how.resolvedQueueName.trim());
        Expect.equal("ELSEWHERE", how.resolvedQueueManagerName.trim());
        Expect.equal(before + 1, transmission.getCurrentDepth());
        MQMessage found = fetch(transmission, MQGMO_NO_WAIT, 0);
        Expect.equal(MQFMT_XMIT_Q_HEADER, found.format);
        byte[] data = data(found);
        Expect.equal("XQH ", new String(data, 0, 4, "US-ASCII"));
        Expect.equal("away", new String(data, data.length - 4, 4, "US-ASCII"));
    }

    public void anUnknownQueueManagerIs2087() throws Exception {
        Expect.reason(MQRC_UNKNOWN_REMOTE_Q_MGR, () -> manager.accessQueue("ANY", OUT, "NOBODY", null, null));
        manager.accessQueue("DEV.QUEUE.1", OUT, place.queueManager(), null, null).close();
    }

    public void openOptionsThatContradictAre2046() throws Exception {
        int[] wrong = {
            MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE,
            MQOO_OUTPUT | MQOO_BIND_ON_OPEN | MQOO_BIND_NOT_FIXED,
            MQOO_INPUT_SHARED | MQOO_READ_AHEAD | MQOO_NO_READ_AHEAD,
            MQOO_OUTPUT | MQOO_SAVE_ALL_CONTEXT,
            MQOO_INPUT_SHARED | MQOO_SET_ALL_CONTEXT,
            MQOO_INPUT_SHARED | MQOO_CO_OP,
        };
        for (int options : wrong) {
            Expect.reason(MQRC_OPTIONS_ERROR, () -> manager.accessQueue("DEV.QUEUE.1", options));
        }
    }

    public void aQueueThatIsNotSharedHasOneReader() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.NOSHARE) NOSHARE DEFSOPT(SHARED) REPLACE");
        MQQueue one = manager.accessQueue("CHECKS.NOSHARE", MQOO_INPUT_SHARED);
        Expect.reason(MQRC_OBJECT_IN_USE, () -> manager.accessQueue("CHECKS.NOSHARE", MQOO_INPUT_SHARED));
        manager.accessQueue("CHECKS.NOSHARE", MQOO_BROWSE).close();
        one.close();
        manager.accessQueue("CHECKS.NOSHARE", MQOO_INPUT_SHARED).close();
    }

    public void aForcedChangeBreaksTheHandle() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.CHANGED) DEFPRTY(1) REPLACE");
        Console.mqsc("DEFINE QALIAS(CHECKS.CHANGING) TARGET(CHECKS.CHANGED) REPLACE");
        MQQueue queue = manager.accessQueue("CHECKS.CHANGING", OUT);
        Console.mqsc("ALTER QALIAS(CHECKS.CHANGING) TARGET(DEV.QUEUE.3) FORCE");
        Expect.reason(MQRC_OBJECT_CHANGED, () -> put(queue, "x"));
    }

    public void severalAttributesAreToldAtOnce() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.TOLD) DESCR('what it is for') MAXDEPTH(77) DEFPRTY(5) REPLACE");
        MQQueue queue = manager.accessQueue("CHECKS.TOLD", MQOO_INQUIRE);
        int[] numbers = new int[3];
        byte[] characters = new byte[48 + 64];
        int[] selectors = {MQIA_MAX_Q_DEPTH, MQCA_Q_NAME, MQIA_DEF_PRIORITY, MQCA_Q_DESC, MQIA_Q_TYPE};
        queue.inquire(selectors, numbers, characters);
        Expect.equal(new int[] {77, 5, MQQT_LOCAL}, numbers);
        Expect.equal(String.format("%-48s%-64s", "CHECKS.TOLD", "what it is for"), new String(characters, "US-ASCII"));
    }

    public void tooLittleRoomForAttributesWarns() throws Exception {
        MQQueue queue = manager.accessQueue("DEV.QUEUE.1", MQOO_INQUIRE);
        byte[] short_ = new byte[10];
        Expect.reason(
                MQRC_CHAR_ATTRS_TOO_SHORT, () -> queue.inquire(new int[] {MQCA_Q_NAME}, new int[0], short_));
        Expect.reason(
                MQRC_INT_ATTR_COUNT_TOO_SMALL,
                () -> queue.inquire(new int[] {MQIA_Q_TYPE, MQIA_MAX_Q_DEPTH}, new int[1], new byte[0]));
    }

    public void anUnknownSelectorIs2067() throws Exception {
        MQQueue queue = manager.accessQueue("DEV.QUEUE.1", MQOO_INQUIRE);
        Expect.reason(MQRC_SELECTOR_ERROR, () -> queue.inquire(new int[] {5000}, new int[1], new byte[0]));
    }

    public void inquiringAndSettingNeedAHandleForIt() throws Exception {
        MQQueue queue = manager.accessQueue("DEV.QUEUE.1", MQOO_OUTPUT);
        Expect.reason(MQRC_NOT_OPEN_FOR_INQUIRE, () -> queue.inquire(
                new int[] {MQIA_Q_TYPE}, new int[1], new byte[0]));
        int[] one = {MQIA_INHIBIT_PUT};
        Expect.reason(MQRC_NOT_OPEN_FOR_SET, () -> queue.set(one, new int[] {MQQA_PUT_INHIBITED}, new byte[0]));
    }

    public void severalAttributesAreSetAtOnce() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.SET) REPLACE");
        MQQueue queue = manager.accessQueue("CHECKS.SET", MQOO_INQUIRE | MQOO_SET);
        int[] selectors = {MQIA_TRIGGER_DEPTH, MQIA_TRIGGER_TYPE, MQCA_TRIGGER_DATA, MQIA_INHIBIT_GET};
        byte[] data = String.format("%-64s", "for the program").getBytes("US-ASCII");
        queue.set(selectors, new int[] {12, MQTT_DEPTH, MQQA_GET_INHIBITED}, data);
        int[] found = new int[3];
        byte[] characters = new byte[64];
        queue.inquire(selectors, found, characters);
        Expect.equal(new int[] {12, MQTT_DEPTH, MQQA_GET_INHIBITED}, found);
        Expect.equal(data, characters);
    }

    public void aWrongValueSetsNothing() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.UNSET) REPLACE");
        MQQueue queue = manager.accessQueue("CHECKS.UNSET", MQOO_INQUIRE | MQOO_SET);
        int[] selectors = {MQIA_INHIBIT_PUT, MQIA_INHIBIT_GET};
        Expect.reason(MQRC_INHIBIT_VALUE_ERROR, () -> queue.set(
                selectors, new int[] {MQQA_PUT_INHIBITED, 7}, new byte[0]));
        Expect.reason(MQRC_SELECTOR_ERROR, () -> queue.set(new int[] {MQIA_Q_TYPE}, new int[] {1}, new byte[0]));
        Expect.equal(MQQA_PUT_ALLOWED, queue.getInhibitPut());
    }

    public void aWaitEndsWhenGetsAreInhibited() throws Exception {
        MQQueue queue = shared(manager);
        Thread later = later(() -> Console.mqsc("ALTER QLOCAL(" + queue.getName().trim() + ") GET(DISABLED)"));
        Expect.reason(MQRC_GET_INHIBITED, () -> fetch(queue, MQGMO_WAIT, 10_000));
        later.join();
    }

    public void aWaitThatReadsAheadEndsWhenAMessageComes() throws Exception {
        MQQueue named = shared(manager);
        MQQueue queue = manager.accessQueue(named.getName().trim(), MQOO_INPUT_SHARED | MQOO_READ_AHEAD);
        MQQueueManager other = connect();
        for (String text : new String[] {"one", "two"}) {
            Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(queue, MQGMO_WAIT, 100));
            Thread later = later(() -> put(other.accessQueue(named.getName().trim(), OUT), text));
            Expect.equal(text, text(fetch(queue, MQGMO_WAIT, MQWI_UNLIMITED)));
            later.join();
        }
        other.disconnect();
    }

    public void aWaitEndsWhenAMessageComes() throws Exception {
        MQQueue queue = shared(manager);
        MQQueueManager other = connect();
        Thread later = later(() -> put(other.accessQueue(queue.getName().trim(), OUT), "came"));
        Expect.equal("came", text(fetch(queue, MQGMO_WAIT, MQWI_UNLIMITED)));
        later.join();
        other.disconnect();
    }

    public void aWaitForAnIdPassesOthersBy() throws Exception {
        MQQueue queue = shared(manager);
        MQQueueManager other = connect();
        byte[] wanted = "the one of all messages!".getBytes();
        Thread later = later(() -> {
            MQQueue out = other.accessQueue(queue.getName().trim(), OUT);
            put(out, "another");
            MQMessage message = message("the one");
            message.correlationId = wanted;
            out.put(message, new MQPutMessageOptions());
        });
        MQMessage found = new MQMessage();
        found.correlationId = wanted;
        var how = new com.ibm.mq.MQGetMessageOptions();
        how.options = MQGMO_WAIT;
        how.waitInterval = 10_000;
        how.matchOptions = MQMO_MATCH_CORREL_ID;
        queue.get(found, how);
        Expect.equal("the one", text(found));
        Expect.equal(1, queue.getCurrentDepth());
        later.join();
        other.disconnect();
    }

    public void theQueueManagerTellsItsLimits() throws Exception {
        int[] numbers = new int[5];
        byte[] characters = new byte[48];
        int[] selectors = {
            MQIA_MAX_PRIORITY, MQIA_MAX_MSG_LENGTH, MQIA_SYNCPOINT, MQIA_PLATFORM, MQCA_DEAD_LETTER_Q_NAME,
            MQIA_MAX_UNCOMMITTED_MSGS,
        };
        manager.inquire(selectors, numbers, characters);
        Expect.equal(new int[] {9, 4 << 20, MQSP_AVAILABLE, MQPL_UNIX, 10_000}, numbers);
    }
}
