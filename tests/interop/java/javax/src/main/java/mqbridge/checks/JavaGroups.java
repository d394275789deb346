package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.MQCO_DELETE;
import static com.ibm.mq.constants.CMQC.MQCO_DELETE_PURGE;
import static com.ibm.mq.constants.CMQC.MQGMO_ALL_MSGS_AVAILABLE;
import static com.ibm.mq.constants.CMQC.MQGMO_ALL_SEGMENTS_AVAILABLE;
import static com.ibm.mq.constants.CMQC.MQGMO_BROWSE_FIRST;
import static com.ibm.mq.constants.CMQC.MQGMO_BROWSE_NEXT;
import static com.ibm.mq.constants.CMQC.MQGMO_COMPLETE_MSG;
import static com.ibm.mq.constants.CMQC.MQGMO_LOGICAL_ORDER;
import static com.ibm.mq.constants.CMQC.MQGMO_NO_WAIT;
import static com.ibm.mq.constants.CMQC.MQGMO_SYNCPOINT;
import static com.ibm.mq.constants.CMQC.MQMF_LAST_MSG_IN_GROUP;
import static com.ibm.mq.constants.CMQC.MQMF_LAST_SEGMENT;
import static com.ibm.mq.constants.CMQC.MQMF_MSG_IN_GROUP;
import static com.ibm.mq.constants.CMQC.MQMF_SEGMENT;
import static com.ibm.mq.constants.CMQC.MQMF_SEGMENTATION_ALLOWED;
import static com.ibm.mq.constants.CMQC.MQMO_MATCH_GROUP_ID;
import static com.ibm.mq.constants.CMQC.MQMO_MATCH_MSG_SEQ_NUMBER;
import static com.ibm.mq.constants.CMQC.MQMO_MATCH_OFFSET;
import static com.ibm.mq.constants.CMQC.MQPER_NOT_PERSISTENT;
import static com.ibm.mq.constants.CMQC.MQPER_PERSISTENT;
import static com.ibm.mq.constants.CMQC.MQPMO_LOGICAL_ORDER;
import static com.ibm.mq.constants.CMQC.MQPMO_SYNCPOINT;
import static com.ibm.mq.constants.CMQC.MQRC_INCOMPLETE_GROUP;
import static com.ibm.mq.constants.CMQC.MQRC_INCOMPLETE_MSG;
import static com.ibm.mq.constants.CMQC.MQRC_INCONSISTENT_BROWSE;
import static com.ibm.mq.constants.CMQC.MQRC_INCONSISTENT_PERSISTENCE;
import static com.ibm.mq.constants.CMQC.MQRC_INCONSISTENT_UOW;
import static com.ibm.mq.constants.CMQC.MQRC_NO_MSG_AVAILABLE;
import static com.ibm.mq.constants.CMQC.MQRC_SEGMENT_LENGTH_ZERO;
import static com.ibm.mq.constants.CMQC.MQRC_UOW_NOT_AVAILABLE;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;

/** Groups and segments. */
public class JavaGroups extends JavaProgram {
    private static final byte[] ONE = "group number one xxxxxxx".getBytes();
    private static final byte[] TWO = "group number two xxxxxxx".getBytes();

    private final MQQueueManager manager = connect();
    private final MQQueue queue = shared(manager);

    public JavaGroups(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private MQMessage put(String text, int flags, int options) throws Exception {
        MQMessage message = message(text);
        message.messageFlags = flags;
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = options;
        queue.put(message, how);
        return message;
    }

    /** Puts a message anywhere into a group. */
    private void put(String text, byte[] group, int number, int offset, int flags) throws Exception {
        MQMessage message = message(text);
        message.messageFlags = flags;
        message.groupId = group;
        message.messageSequenceNumber = number;
        message.offset = offset;
        queue.put(message, new MQPutMessageOptions());
    }

    private MQMessage find(int options, int match, byte[] group, int number, int offset) throws Exception {
        MQMessage message = new MQMessage();
        message.groupId = group;
        message.messageSequenceNumber = number;
        message.offset = offset;
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = options;
        how.matchOptions = match;
        queue.get(message, how);
        return message;
    }

    public void aGroupIsNumbered() throws Exception {
        MQMessage first = put("a", MQMF_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER);
        put("b", MQMF_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER);
        put("c", MQMF_LAST_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER);
        for (int number = 1; number <= 3; number++) {
            MQMessage found = fetch(queue, MQGMO_NO_WAIT, 0);
            Expect.equal(first.groupId, found.groupId);
            Expect.equal(number, found.messageSequenceNumber);
            int last = number == 3 ? MQMF_LAST_MSG_IN_GROUP : 0;
            Expect.equal(MQMF_MSG_IN_GROUP | last, found.messageFlags);
        }
    }

    public void groupsComeInLogicalOrder() throws Exception {
        put("two-1", TWO, 1, 0, MQMF_MSG_IN_GROUP);
        put("one-2", ONE, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        put("two-2", TWO, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        for (String expected : new String[] {"two-1", "two-2", "one-1", "one-2"}) {
            Expect.equal(expected, get(queue, MQGMO_LOGICAL_ORDER));
        }
    }

    public void withoutLogicalOrderArrivalCounts() throws Exception {
        put("one-2", ONE, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        Expect.equal("one-2", get(queue, MQGMO_NO_WAIT));
        Expect.equal("one-1", get(queue, MQGMO_NO_WAIT));
    }

    public void browsingFollowsLogicalOrder() throws Exception {
        put("one-2", ONE, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        Expect.equal("one-1", get(queue, MQGMO_BROWSE_FIRST | MQGMO_LOGICAL_ORDER));
        Expect.equal("one-2", get(queue, MQGMO_BROWSE_NEXT | MQGMO_LOGICAL_ORDER));
        Expect.reason(MQRC_INCONSISTENT_BROWSE, () -> get(queue, MQGMO_BROWSE_NEXT));
        Expect.equal("one-2", get(queue, MQGMO_BROWSE_FIRST));
    }

    public void aGroupMayBeWaitedForWhole() throws Exception {
        int options = MQGMO_ALL_MSGS_AVAILABLE | MQGMO_LOGICAL_ORDER;
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        put("one-3", ONE, 3, 0, MQMF_LAST_MSG_IN_GROUP);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, options));
        Expect.equal(2, queue.getCurrentDepth());
        put("one-2", ONE, 2, 0, MQMF_MSG_IN_GROUP);
        for (String expected : new String[] {"one-1", "one-2", "one-3"}) {
            Expect.equal(expected, get(queue, options));
        }
    }

    public void aGroupIsChosenByItsId() throws Exception {
        put("one-1", ONE, 1, 0, MQMF_LAST_MSG_IN_GROUP);
        put("two-1", TWO, 1, 0, MQMF_MSG_IN_GROUP);
        put("two-2", TWO, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        Expect.equal("two-1", text(find(MQGMO_NO_WAIT, MQMO_MATCH_GROUP_ID, TWO, 0, 0)));
        Expect.equal("two-2", text(find(MQGMO_NO_WAIT, MQMO_MATCH_GROUP_ID, TWO, 0, 0)));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> find(MQGMO_NO_WAIT, MQMO_MATCH_GROUP_ID, TWO, 0, 0));
    }

    public void aMemberIsChosenByItsNumber() throws Exception {
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        put("one-2", ONE, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        int match = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER;
        Expect.equal("one-2", text(find(MQGMO_NO_WAIT, match, ONE, 2, 0)));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> find(MQGMO_NO_WAIT, match, ONE, 2, 0));
    }

    public void aSegmentIsChosenByItsOffset() throws Exception {
        put("abcd", ONE, 1, 0, MQMF_SEGMENT);
        put("efgh", ONE, 1, 4, MQMF_LAST_SEGMENT);
        int match = MQMO_MATCH_GROUP_ID | MQMO_MATCH_OFFSET;
        Expect.equal("efgh", text(find(MQGMO_NO_WAIT, match, ONE, 1, 4)));
        Expect.equal("abcd", text(find(MQGMO_NO_WAIT, match, ONE, 1, 0)));
    }

    public void theStatusOfAGroupIsTold() throws Exception {
        put("alone", 0, 0);
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        put("one-2", ONE, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        MQGetMessageOptions how = new MQGetMessageOptions();
        StringBuilder found = new StringBuilder();
        for (int number = 0; number < 3; number++) {
            queue.get(new MQMessage(), how);
            found.append(how.groupStatus);
        }
        Expect.equal(" GL", found.toString());
    }

    public void segmentsAreJoined() throws Exception {
        put("abc", MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("def", MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("ghi", MQMF_LAST_SEGMENT, MQPMO_LOGICAL_ORDER);
        Expect.equal(3, queue.getCurrentDepth());
        MQMessage whole = fetch(queue, MQGMO_COMPLETE_MSG, 0);
        Expect.equal("abcdefghi", text(whole));
        Expect.equal(0, whole.offset);
        Expect.equal(0, queue.getCurrentDepth());
    }

    public void segmentsComeOneByOne() throws Exception {
        put("abc", MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("def", MQMF_LAST_SEGMENT, MQPMO_LOGICAL_ORDER);
        MQMessage first = fetch(queue, MQGMO_LOGICAL_ORDER, 0);
        Expect.equal("abc", text(first));
        MQMessage second = fetch(queue, MQGMO_LOGICAL_ORDER, 0);
        Expect.equal("def", text(second));
        Expect.equal(3, second.offset);
        Expect.equal(first.groupId, second.groupId);
        Expect.equal(MQMF_SEGMENT | MQMF_LAST_SEGMENT, second.messageFlags);
    }

    public void aMissingSegmentHidesTheMessage() throws Exception {
        put("abcd", ONE, 1, 0, MQMF_SEGMENT);
        put("ijkl", ONE, 1, 8, MQMF_LAST_SEGMENT);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, MQGMO_COMPLETE_MSG));
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> get(queue, MQGMO_ALL_SEGMENTS_AVAILABLE));
        put("efgh", ONE, 1, 4, MQMF_SEGMENT);
        Expect.equal("abcd", get(queue, MQGMO_ALL_SEGMENTS_AVAILABLE | MQGMO_BROWSE_FIRST));
        Expect.equal("abcdefghijkl", get(queue, MQGMO_COMPLETE_MSG));
    }

    public void aGroupOfSegmentedMessagesIsJoined() throws Exception {
        put("abc", MQMF_MSG_IN_GROUP | MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("def", MQMF_MSG_IN_GROUP | MQMF_LAST_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("ghi", MQMF_LAST_MSG_IN_GROUP | MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("jkl", MQMF_LAST_MSG_IN_GROUP | MQMF_LAST_SEGMENT, MQPMO_LOGICAL_ORDER);
        int options = MQGMO_COMPLETE_MSG | MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE;
        Expect.equal("abcdef", get(queue, options));
        MQMessage second = fetch(queue, options, 0);
        Expect.equal("ghijkl", text(second));
        Expect.equal(2, second.messageSequenceNumber);
    }

    public void theQueueManagerCutsLongMessages() throws Exception {
        Console.mqsc("ALTER QLOCAL(" + queue.getName().trim() + ") MAXMSGL(1000)");
        MQQueue again = manager.accessQueue(queue.getName().trim(), BOTH);
        MQMessage message = message("0123456789".repeat(300));
        message.messageFlags = MQMF_SEGMENTATION_ALLOWED;
        again.put(message, new MQPutMessageOptions());
        Expect.that(again.getCurrentDepth() >= 3, "depth " + again.getCurrentDepth());
        Expect.equal("0123456789".repeat(300), get(again, MQGMO_COMPLETE_MSG));
    }

    public void anUnfinishedGroupIsNotLeft() throws Exception {
        put("a", MQMF_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER);
        Expect.reason(MQRC_INCOMPLETE_GROUP, () -> put("b", 0, MQPMO_LOGICAL_ORDER));
        put("b", MQMF_LAST_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER);
        put("c", MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        Expect.reason(MQRC_INCOMPLETE_MSG, () -> put("d", 0, MQPMO_LOGICAL_ORDER));
        put("d", MQMF_LAST_SEGMENT, MQPMO_LOGICAL_ORDER);
    }

    public void aGroupIsOfOnePersistence() throws Exception {
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = MQPMO_LOGICAL_ORDER;
        MQQueue kept = manager.accessQueue("CHECKS.PERMANENT", BOTH, null, "CHECK.*", null);
        MQMessage first = message("a");
        first.messageFlags = MQMF_MSG_IN_GROUP;
        first.persistence = MQPER_PERSISTENT;
        kept.put(first, how);
        MQMessage second = message("b");
        second.messageFlags = MQMF_LAST_MSG_IN_GROUP;
        second.persistence = MQPER_NOT_PERSISTENT;
        Expect.reason(MQRC_INCONSISTENT_PERSISTENCE, () -> kept.put(second, how));
        second.persistence = MQPER_PERSISTENT;
        kept.put(second, how);
        kept.setCloseOptions(MQCO_DELETE_PURGE);
        kept.close();
    }

    public void aGroupIsOfOneUnitOfWork() throws Exception {
        put("a", MQMF_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER | MQPMO_SYNCPOINT);
        Expect.reason(MQRC_INCONSISTENT_UOW, () -> put("b", MQMF_LAST_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER));
        put("b", MQMF_LAST_MSG_IN_GROUP, MQPMO_LOGICAL_ORDER | MQPMO_SYNCPOINT);
        manager.commit();
        Expect.equal("a", get(queue, MQGMO_LOGICAL_ORDER | MQGMO_SYNCPOINT));
        Expect.reason(MQRC_INCONSISTENT_UOW, () -> get(queue, MQGMO_LOGICAL_ORDER));
        Expect.equal("b", get(queue, MQGMO_LOGICAL_ORDER | MQGMO_SYNCPOINT));
        manager.commit();
    }

    public void leavingAGroupEarlyWarns() throws Exception {
        put("one-1", ONE, 1, 0, MQMF_MSG_IN_GROUP);
        put("one-2", ONE, 2, 0, MQMF_LAST_MSG_IN_GROUP);
        get(queue, MQGMO_LOGICAL_ORDER);
        MQMessage found = new MQMessage();
        Expect.reason(MQRC_INCOMPLETE_GROUP, () -> queue.get(found, new MQGetMessageOptions()));
        Expect.equal("one-2", text(found));
    }

    public void anEmptySegmentIsTheLast() throws Exception {
        Expect.reason(MQRC_SEGMENT_LENGTH_ZERO, () -> put("", MQMF_SEGMENT, MQPMO_LOGICAL_ORDER));
        put("abc", MQMF_SEGMENT, MQPMO_LOGICAL_ORDER);
        put("", MQMF_LAST_SEGMENT, MQPMO_LOGICAL_ORDER);
        Expect.equal("abc", get(queue, MQGMO_COMPLETE_MSG));
    }

    public void aGroupIsTakenUpAgain() throws Exception {
        for (int number = 1; number <= 3; number++) {
            put("one-" + number, ONE, number, 0, number == 3 ? MQMF_LAST_MSG_IN_GROUP : MQMF_MSG_IN_GROUP);
        }
        Expect.equal("one-1", get(queue, MQGMO_LOGICAL_ORDER));
        MQQueue fresh = manager.accessQueue(queue.getName().trim(), IN);
        MQMessage second = new MQMessage();
        second.groupId = ONE;
        second.messageSequenceNumber = 2;
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.matchOptions = MQMO_MATCH_GROUP_ID | MQMO_MATCH_MSG_SEQ_NUMBER;
        fresh.get(second, how);
        Expect.equal("one-2", text(second));
        Expect.equal("one-3", get(fresh, MQGMO_LOGICAL_ORDER));
    }

    public void persistentSegmentsAreJoinedInAUnitOfWork() throws Exception {
        MQQueue kept = manager.accessQueue("CHECKS.PERMANENT", BOTH, null, "CHECK.*", null);
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = MQPMO_LOGICAL_ORDER;
        for (int flags : new int[] {MQMF_SEGMENT, MQMF_LAST_SEGMENT}) {
            MQMessage part = message("abc");
            part.messageFlags = flags;
            part.persistence = MQPER_PERSISTENT;
            kept.put(part, how);
        }
        put("other", 0, MQPMO_SYNCPOINT);
        Expect.reason(MQRC_UOW_NOT_AVAILABLE, () -> get(kept, MQGMO_COMPLETE_MSG));
        Expect.equal("abcabc", get(kept, MQGMO_COMPLETE_MSG | MQGMO_SYNCPOINT));
        manager.backout();
        Expect.equal(2, kept.getCurrentDepth());
        Expect.equal("abcabc", get(kept, MQGMO_COMPLETE_MSG));
        kept.setCloseOptions(MQCO_DELETE);
        kept.close();
    }
}
