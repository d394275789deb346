package mqbridge.checks;

import com.ibm.mq.MQAsyncStatus;
import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;

/** Opens, inquires, sets, asynchronous puts and truncation with the MQ classes for Java. */
public class JavaObjects extends JavaProgram {
    public JavaObjects(Place place) {
        super(place);
    }

    public void theQueueManagerTellsItsName() throws Exception {
        MQQueueManager manager = connect();
        Expect.equal(place.queueManager(), manager.getName().trim());
        Expect.that(manager.getCommandLevel() >= 800, "command level " + manager.getCommandLevel());
        Expect.that(manager.getMaximumMessageLength() > 0, "maximum message length");
        manager.disconnect();
    }

    public void aQueueTellsItsAttributes() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = manager.accessQueue("DEV.QUEUE.1", CMQC.MQOO_INQUIRE);
        Expect.equal(CMQC.MQQT_LOCAL, queue.getQueueType());
        Expect.that(queue.getMaximumDepth() > 0, "MAXDEPTH");
        Expect.that(queue.getMaximumMessageLength() > 0, "MAXMSGL");
        Expect.equal(CMQC.MQQA_GET_ALLOWED, queue.getInhibitGet());
        queue.close();
        manager.disconnect();
    }

    public void theDepthCounts() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        put(queue, "one");
        put(queue, "two");
        Expect.equal(2, queue.getCurrentDepth());
        Expect.equal(1, queue.getOpenInputCount());
        manager.disconnect();
    }

    public void anInhibitedQueueRefuses() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        queue.setInhibitPut(CMQC.MQQA_PUT_INHIBITED);
        Expect.reason(CMQC.MQRC_PUT_INHIBITED, () -> put(queue, "x"));
        queue.setInhibitPut(CMQC.MQQA_PUT_ALLOWED);
        put(queue, "x");
        queue.setInhibitGet(CMQC.MQQA_GET_INHIBITED);
        Expect.reason(CMQC.MQRC_GET_INHIBITED, () -> get(queue, CMQC.MQGMO_NO_WAIT));
        queue.setInhibitGet(CMQC.MQQA_GET_ALLOWED);
        Expect.equal("x", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void anotherQueueManagerIs2058() throws Exception {
        Expect.reason(CMQC.MQRC_Q_MGR_NAME_ERROR, () -> new MQQueueManager("ELSEWHERE", properties()));
    }

    public void anUnknownChannelIs2540() throws Exception {
        var properties = properties();
        properties.put("channel", "NO.SUCH.CHANNEL");
        Expect.reason(CMQC.MQRC_UNKNOWN_CHANNEL_NAME, () -> new MQQueueManager(place.queueManager(), properties));
    }

    public void aBlankNameIsAnyQueueManager() throws Exception {
        MQQueueManager manager = new MQQueueManager("", properties());
        Expect.equal(place.queueManager(), manager.getAttributeString(CMQC.MQCA_Q_MGR_NAME, 48).trim());
        manager.disconnect();
    }

    public void asynchronousPutsAreCounted() throws Exception {
        if (place.channel().endsWith(".0")) {
            return;
        }
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = CMQC.MQPMO_ASYNC_RESPONSE | CMQC.MQPMO_NO_SYNCPOINT;
        for (int number = 0; number < 200; number++) {
            queue.put(message("message " + number), how);
        }
        MQAsyncStatus status = manager.getAsyncStatus();
        Expect.equal(0, status.putFailureCount);
        for (int number = 0; number < 200; number++) {
            Expect.equal("message " + number, get(queue, CMQC.MQGMO_NO_WAIT));
        }
        manager.disconnect();
    }

    public void readAheadKeepsTheOrder() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = manager.accessQueue("CHECKS.MANY", OUT);
        for (int number = 0; number < 300; number++) {
            put(queue, "message " + number);
        }
        int options = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_READ_AHEAD;
        MQQueue reader = manager.accessQueue("CHECKS.MANY", options, null, null, null);
        for (int number = 0; number < 300; number++) {
            Expect.equal("message " + number, get(reader, CMQC.MQGMO_NO_WAIT));
        }
        reader.close();
        manager.disconnect();
    }

    public void aLongMessageIsCut() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        put(queue, "0123456789");
        Expect.reason(CMQC.MQRC_TRUNCATED_MSG_FAILED, () -> queue.get(new MQMessage(), new MQGetMessageOptions(), 4));
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = CMQC.MQGMO_ACCEPT_TRUNCATED_MSG;
        MQMessage cut = new MQMessage();
        try {
            queue.get(cut, how, 4);
            throw new AssertionError("no warning");
        } catch (MQException warning) {
            Expect.equal(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED, warning.reasonCode);
        }
        Expect.equal("0123", text(cut));
        Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void anExclusiveQueueIsInUse() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = manager.accessQueue("DEV.QUEUE.1", CMQC.MQOO_INPUT_EXCLUSIVE);
        MQQueueManager other = connect();
        Expect.reason(CMQC.MQRC_OBJECT_IN_USE, () -> other.accessQueue("DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED));
        queue.close();
        other.accessQueue("DEV.QUEUE.1", CMQC.MQOO_INPUT_SHARED).close();
        other.disconnect();
        manager.disconnect();
    }

    public void aTooLongMessageIs2030() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = manager.accessQueue("CHECKS.SHORT", OUT);
        Expect.reason(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, () -> put(queue, "x".repeat(2000)));
        put(queue, "x".repeat(1000));
        queue.close();
        manager.disconnect();
    }

    public void aFullQueueIs2053() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = manager.accessQueue("CHECKS.FULL", OUT);
        Expect.reason(CMQC.MQRC_Q_FULL, () -> put(queue, "x"));
        queue.close();
        manager.disconnect();
    }

    public void openingForNothingAllowedIs2045() throws Exception {
        MQQueueManager manager = connect();
        Expect.reason(CMQC.MQRC_OPTION_NOT_VALID_FOR_TYPE, () -> manager.accessQueue("CHECKS.REMOTE", IN));
        manager.disconnect();
    }
}
