package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.MQGMO_ACCEPT_TRUNCATED_MSG;
import static com.ibm.mq.constants.CMQC.MQGMO_BROWSE_FIRST;
import static com.ibm.mq.constants.CMQC.MQGMO_BROWSE_MSG_UNDER_CURSOR;
import static com.ibm.mq.constants.CMQC.MQGMO_BROWSE_NEXT;
import static com.ibm.mq.constants.CMQC.MQGMO_LOCK;
import static com.ibm.mq.constants.CMQC.MQGMO_MARK_BROWSE_CO_OP;
import static com.ibm.mq.constants.CMQC.MQGMO_MARK_BROWSE_HANDLE;
import static com.ibm.mq.constants.CMQC.MQGMO_MSG_UNDER_CURSOR;
import static com.ibm.mq.constants.CMQC.MQGMO_NO_WAIT;
import static com.ibm.mq.constants.CMQC.MQGMO_SYNCPOINT;
import static com.ibm.mq.constants.CMQC.MQGMO_UNLOCK;
import static com.ibm.mq.constants.CMQC.MQGMO_UNMARKED_BROWSE_MSG;
import static com.ibm.mq.constants.CMQC.MQGMO_UNMARK_BROWSE_CO_OP;
import static com.ibm.mq.constants.CMQC.MQGMO_UNMARK_BROWSE_HANDLE;
import static com.ibm.mq.constants.CMQC.MQGMO_WAIT;
import static com.ibm.mq.constants.CMQC.MQOO_BROWSE;
import static com.ibm.mq.constants.CMQC.MQOO_CO_OP;
import static com.ibm.mq.constants.CMQC.MQRC_MSG_MARKED_BROWSE_CO_OP;
import static com.ibm.mq.constants.CMQC.MQRC_NOT_OPEN_FOR_BROWSE;
import static com.ibm.mq.constants.CMQC.MQRC_NOT_OPEN_FOR_INPUT;
import static com.ibm.mq.constants.CMQC.MQRC_NO_MSG_AVAILABLE;
import static com.ibm.mq.constants.CMQC.MQRC_NO_MSG_LOCKED;
import static com.ibm.mq.constants.CMQC.MQRC_NO_MSG_UNDER_CURSOR;
import static com.ibm.mq.constants.CMQC.MQRC_OPTIONS_ERROR;
import static com.ibm.mq.constants.CMQC.MQRC_TRUNCATED_MSG_ACCEPTED;
import static com.ibm.mq.constants.CMQC.MQRC_TRUNCATED_MSG_FAILED;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;

/** The browse cursor, locks and marks. */
public class JavaBrowse extends JavaProgram {
    private final MQQueueManager manager = connect();
    private final MQQueue queue = shared(manager);

    public JavaBrowse(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private void put(String... texts) throws Exception {
        for (String text : texts) {
            put(queue, text);
        }
    }

    private MQQueue another(int options) throws Exception {
        return manager.accessQueue(queue.getName().trim(), options);
    }

    public void firstStartsOver() throws Exception {
        put("one", "two");
        Expect.equal("one", get(queue, MQGMO_BROWSE_NEXT));
        Expect.equal("two", get(queue, MQGMO_BROWSE_NEXT));
        Expect.equal("one", get(queue, MQGMO_BROWSE_FIRST));
        Expect.equal("two", get(queue, MQGMO_BROWSE_NEXT));
    }

    public void theMessageUnderTheCursorIsTaken() throws Exception {
        put("one", "two", "three");
        get(queue, MQGMO_BROWSE_FIRST);
        get(queue, MQGMO_BROWSE_NEXT);
        Expect.equal("two", get(queue, MQGMO_MSG_UNDER_CURSOR));
        Expect.equal("three", get(queue, MQGMO_BROWSE_NEXT));
        Expect.equal("one", get(queue, MQGMO_NO_WAIT));
        Expect.equal("three", get(queue, MQGMO_NO_WAIT));
    }

    public void theMessageUnderTheCursorIsReadAgain() throws Exception {
        put("one", "two");
        get(queue, MQGMO_BROWSE_FIRST);
        Expect.equal("one", get(queue, MQGMO_BROWSE_MSG_UNDER_CURSOR));
        Expect.equal("one", get(queue, MQGMO_BROWSE_MSG_UNDER_CURSOR));
        Expect.equal("two", get(queue, MQGMO_BROWSE_NEXT));
    }

    public void nothingUnderTheCursorIs2034() throws Exception {
        put("one");
        Expect.reason(MQRC_NO_MSG_UNDER_CURSOR, () -> get(queue, MQGMO_BROWSE_MSG_UNDER_CURSOR));
        Expect.equal("one", get(queue, MQGMO_BROWSE_FIRST));
        Expect.equal("one", get(queue, MQGMO_NO_WAIT));
        Expect.reason(MQRC_NO_MSG_UNDER_CURSOR, () -> get(queue, MQGMO_MSG_UNDER_CURSOR));
    }

    public void theCursorKeepsTheEmptyPlace() throws Exception {
        put("one", "two", "three");
        get(queue, MQGMO_BROWSE_FIRST);
        get(queue, MQGMO_BROWSE_NEXT);
        Expect.equal("one", get(another(IN), MQGMO_NO_WAIT));
        Expect.equal("two", get(another(IN), MQGMO_NO_WAIT));
        Expect.equal("three", get(queue, MQGMO_BROWSE_NEXT));
    }

    public void aGetLeavesTheCursor() throws Exception {
        put("one", "two", "three");
        Expect.equal("one", get(queue, MQGMO_BROWSE_FIRST));
        Expect.equal("one", get(queue, MQGMO_NO_WAIT));
        Expect.equal("two", get(queue, MQGMO_NO_WAIT));
        Expect.equal("three", get(queue, MQGMO_BROWSE_NEXT));
    }

    public void browsingNeedsAHandleForIt() throws Exception {
        put("one");
        Expect.reason(MQRC_NOT_OPEN_FOR_BROWSE, () -> get(another(IN), MQGMO_BROWSE_FIRST));
        Expect.reason(MQRC_NOT_OPEN_FOR_INPUT, () -> get(another(MQOO_BROWSE), MQGMO_NO_WAIT));
    }

    public void aCutBrowseLeavesTheCursor() throws Exception {
        put("0123456789", "two");
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQGMO_BROWSE_NEXT;
        Expect.reason(MQRC_TRUNCATED_MSG_FAILED, () -> queue.get(new MQMessage(), how, 4));
        how.options = MQGMO_BROWSE_NEXT | MQGMO_ACCEPT_TRUNCATED_MSG;
        MQMessage cut = new MQMessage();
        Expect.reason(MQRC_TRUNCATED_MSG_ACCEPTED, () -> queue.get(cut, how, 4));
        Expect.equal("0123", text(cut));
        Expect.equal("two", get(queue, MQGMO_BROWSE_NEXT));
    }

    public void aHigherPriorityArrivesBehindTheCursor() throws Exception {
        MQMessage message = message("middle");
        message.priority = 5;
        queue.put(message, new MQPutMessageOptions());
        Expect.equal("middle", get(queue, MQGMO_BROWSE_FIRST));
        MQMessage high = message("high");
        high.priority = 9;
        queue.put(high, new MQPutMessageOptions());
        MQMessage low = message("low");
        low.priority = 1;
        queue.put(low, new MQPutMessageOptions());
        Expect.equal("low", get(queue, MQGMO_BROWSE_NEXT));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, MQGMO_BROWSE_NEXT));
        Expect.equal("high", get(queue, MQGMO_BROWSE_FIRST));
    }

    public void browsingPassesOverWhatIsInAUnitOfWork() throws Exception {
        put("one", "two");
        Expect.equal("one", get(queue, MQGMO_SYNCPOINT));
        Expect.equal("two", get(another(MQOO_BROWSE), MQGMO_BROWSE_FIRST));
        manager.backout();
        Expect.equal("one", get(another(MQOO_BROWSE), MQGMO_BROWSE_FIRST));
    }

    public void aBrowseWaits() throws Exception {
        MQQueueManager other = connect();
        MQQueue out = other.accessQueue(queue.getName().trim(), OUT);
        var later = later(() -> put(out, "at last"));
        Expect.equal("at last", text(fetch(queue, MQGMO_BROWSE_NEXT | MQGMO_WAIT, 10_000)));
        later.join();
        Expect.equal(1, queue.getCurrentDepth());
        other.disconnect();
    }

    public void aLockedMessageIsHidden() throws Exception {
        put("one", "two");
        Expect.equal("one", get(queue, MQGMO_BROWSE_FIRST | MQGMO_LOCK));
        Expect.equal("two", get(another(MQOO_BROWSE), MQGMO_BROWSE_FIRST));
        Expect.equal("two", get(another(IN), MQGMO_NO_WAIT));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(another(IN), MQGMO_NO_WAIT));
        Expect.equal("one", get(queue, MQGMO_MSG_UNDER_CURSOR));
    }

    public void unlockingShowsAMessageAgain() throws Exception {
        put("one");
        get(queue, MQGMO_BROWSE_FIRST | MQGMO_LOCK);
        unlock();
        Expect.equal("one", get(another(IN), MQGMO_NO_WAIT));
        Expect.reason(MQRC_NO_MSG_LOCKED, this::unlock);
    }

    private void unlock() throws Exception {
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQGMO_UNLOCK;
        queue.get(new MQMessage(), how, 0);
    }

    public void theNextBrowseReleasesTheLock() throws Exception {
        put("one", "two");
        get(queue, MQGMO_BROWSE_FIRST | MQGMO_LOCK);
        get(queue, MQGMO_BROWSE_NEXT | MQGMO_LOCK);
        MQQueue other = another(IN);
        Expect.equal("one", get(other, MQGMO_NO_WAIT));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(other, MQGMO_NO_WAIT));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, MQGMO_BROWSE_NEXT));
        Expect.equal("two", get(other, MQGMO_NO_WAIT));
    }

    public void closingReleasesTheLock() throws Exception {
        put("one");
        MQQueue browser = another(MQOO_BROWSE);
        get(browser, MQGMO_BROWSE_FIRST | MQGMO_LOCK);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, MQGMO_NO_WAIT));
        browser.close();
        Expect.equal("one", get(queue, MQGMO_NO_WAIT));
    }

    public void aMarkedMessageIsPassedOver() throws Exception {
        put("one", "two");
        int options = MQGMO_BROWSE_FIRST | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_HANDLE;
        Expect.equal("one", get(queue, options));
        Expect.equal("two", get(queue, options));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, options));
        Expect.equal("one", get(another(MQOO_BROWSE), options));
        Expect.equal("one", get(queue, MQGMO_BROWSE_FIRST | MQGMO_UNMARK_BROWSE_HANDLE));
        Expect.equal("one", get(queue, options));
    }

    public void cooperatingHandlesShareMarks() throws Exception {
        put("one", "two");
        MQQueue left = another(MQOO_BROWSE | MQOO_CO_OP);
        MQQueue right = another(MQOO_BROWSE | MQOO_CO_OP);
        int options = MQGMO_BROWSE_FIRST | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_CO_OP;
        Expect.equal("one", get(left, options));
        Expect.equal("two", get(right, options));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(left, options));
        Expect.reason(MQRC_MSG_MARKED_BROWSE_CO_OP, () -> get(left, MQGMO_BROWSE_FIRST | MQGMO_MARK_BROWSE_CO_OP));
        Expect.equal("one", get(right, MQGMO_BROWSE_FIRST | MQGMO_UNMARK_BROWSE_CO_OP));
        Expect.equal("one", get(left, options));
    }

    public void closingTheCooperatingHandlesEndsTheirMarks() throws Exception {
        put("one");
        int options = MQGMO_BROWSE_FIRST | MQGMO_UNMARKED_BROWSE_MSG | MQGMO_MARK_BROWSE_CO_OP;
        MQQueue left = another(MQOO_BROWSE | MQOO_CO_OP);
        Expect.equal("one", get(left, options));
        left.close();
        Expect.equal("one", get(another(MQOO_BROWSE | MQOO_CO_OP), options));
    }

    public void optionsThatExcludeEachOtherAre2046() throws Exception {
        put("one");
        MQQueue both = another(MQOO_BROWSE | MQOO_CO_OP | IN);
        int[] pairs = {
            MQGMO_BROWSE_FIRST | MQGMO_SYNCPOINT,
            MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT,
            MQGMO_BROWSE_NEXT | MQGMO_MSG_UNDER_CURSOR,
            MQGMO_BROWSE_FIRST | MQGMO_MARK_BROWSE_HANDLE | MQGMO_LOCK,
            MQGMO_BROWSE_FIRST | MQGMO_MARK_BROWSE_CO_OP | MQGMO_UNMARK_BROWSE_CO_OP,
            MQGMO_LOCK,
            MQGMO_UNMARK_BROWSE_HANDLE,
        };
        for (int options : pairs) {
            Expect.reason(MQRC_OPTIONS_ERROR, () -> get(both, options));
        }
        Expect.equal("one", get(both, MQGMO_NO_WAIT));
    }
}
