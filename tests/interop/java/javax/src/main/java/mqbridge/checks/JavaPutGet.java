package mqbridge.checks;

import com.ibm.mq.MQDistributionList;
import com.ibm.mq.MQDistributionListItem;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;

/** Put, get and browse with the MQ classes for Java. */
public class JavaPutGet extends JavaProgram {
    public JavaPutGet(Place place) {
        super(place);
    }

    public void connectsAndDisconnects() throws Exception {
        MQQueueManager manager = connect();
        Expect.that(manager.isConnected(), "not connected");
        manager.disconnect();
    }

    public void putsAndGets() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        put(queue, "hello");
        Expect.equal("hello", get(queue, CMQC.MQGMO_NO_WAIT));
        queue.close();
        manager.disconnect();
    }

    public void oneMessageGoesToAList() throws Exception {
        MQQueueManager manager = connect();
        MQQueue first = queue(manager);
        MQQueue second = queue(manager);
        MQDistributionListItem[] items = new MQDistributionListItem[3];
        String[] names = {first.getName(), "NO.SUCH.QUEUE", second.getName()};
        for (int index = 0; index < items.length; index++) {
            items[index] = new MQDistributionListItem();
            items[index].queueName = names[index];
        }
        MQDistributionList list = new MQDistributionList(manager, items, OUT, null);
        Expect.equal(2, list.getValidDestinationCount());
        Expect.equal(CMQC.MQRC_UNKNOWN_OBJECT_NAME, items[1].reasonCode);
        list.put(message("to all"), new MQPutMessageOptions());
        Expect.equal("to all", get(first, CMQC.MQGMO_NO_WAIT));
        Expect.equal("to all", get(second, CMQC.MQGMO_NO_WAIT));
        list.close();
        manager.disconnect();
    }

    public void aUnitOfWorkGetsWhatItPut() throws Exception {
        MQQueueManager manager = connect();
        MQQueueManager another = connect();
        MQQueue queue = shared(manager);
        MQQueue theirs = another.accessQueue(queue.getName(), IN);
        int inUnit = CMQC.MQGMO_SYNCPOINT;
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = CMQC.MQPMO_SYNCPOINT;
        for (boolean commits : new boolean[] {true, false}) {
            queue.put(message("one"), how);
            queue.put(message("two"), how);
            Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(theirs, inUnit));
            Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, CMQC.MQGMO_NO_SYNCPOINT));
            Expect.equal("one", get(queue, inUnit));
            Expect.equal("two", text(fetch(queue, inUnit | CMQC.MQGMO_WAIT, 5000)));
            Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, inUnit));
            Expect.equal(0, queue.getCurrentDepth());
            if (commits) {
                manager.commit();
            } else {
                manager.backout();
            }
            Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(theirs, CMQC.MQGMO_NO_WAIT));
        }
        queue.put(message("left"), how);
        manager.commit();
        Expect.equal("left", get(theirs, CMQC.MQGMO_NO_WAIT));
        theirs.close();
        queue.close();
        another.disconnect();
        manager.disconnect();
    }

    public void anEmptyQueueIs2033() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void aGetWaits() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        long began = System.nanoTime();
        Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> fetch(queue, CMQC.MQGMO_WAIT, 300));
        Expect.that(System.nanoTime() - began > 250_000_000L, "it did not wait");
        manager.disconnect();
    }

    public void theDescriptorComesBack() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        MQMessage message = message("hello");
        message.correlationId = "correlation id of 24 byt".getBytes("US-ASCII");
        message.priority = 7;
        message.persistence = CMQC.MQPER_NOT_PERSISTENT;
        message.expiry = 600;
        message.replyToQueueName = "REPLIES";
        queue.put(message, new MQPutMessageOptions());
        MQMessage found = fetch(queue, CMQC.MQGMO_NO_WAIT, 0);
        Expect.equal(message.messageId, found.messageId);
        Expect.equal(message.correlationId, found.correlationId);
        Expect.equal(7, found.priority);
        Expect.equal(CMQC.MQPER_NOT_PERSISTENT, found.persistence);
        Expect.that(found.expiry > 500 && found.expiry <= 600, "expiry " + found.expiry);
        Expect.equal("REPLIES", found.replyToQueueName.trim());
        Expect.equal(CMQC.MQFMT_STRING, found.format);
        manager.disconnect();
    }

    public void matchesByMessageId() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        put(queue, "first");
        MQMessage second = message("second");
        queue.put(second, new MQPutMessageOptions());
        MQMessage wanted = new MQMessage();
        wanted.messageId = second.messageId;
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.matchOptions = CMQC.MQMO_MATCH_MSG_ID;
        queue.get(wanted, how);
        Expect.equal("second", text(wanted));
        Expect.equal("first", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void browses() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        put(queue, "one");
        put(queue, "two");
        Expect.equal("one", get(queue, CMQC.MQGMO_BROWSE_FIRST));
        Expect.equal("two", get(queue, CMQC.MQGMO_BROWSE_NEXT));
        Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, CMQC.MQGMO_BROWSE_NEXT));
        Expect.equal("one", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void aUnitOfWorkIsBackedOut() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        put(queue, "stays");
        Expect.equal("stays", get(queue, CMQC.MQGMO_SYNCPOINT));
        manager.backout();
        MQMessage again = fetch(queue, CMQC.MQGMO_SYNCPOINT, 0);
        Expect.equal("stays", text(again));
        Expect.equal(1, again.backoutCount);
        manager.commit();
        Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void whatIsNotCommittedIsInvisible() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = CMQC.MQPMO_SYNCPOINT;
        queue.put(message("later"), how);
        Expect.reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> get(queue, CMQC.MQGMO_NO_WAIT));
        manager.commit();
        Expect.equal("later", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void sizesTravel() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        for (int size : new int[] {0, 1, 3, 4095, 4096, 4097, 32_668, 32_768, 32_868, 100_000, 1 << 20, 4 << 20}) {
            byte[] data = new byte[size];
            for (int index = 0; index < size; index++) {
                data[index] = (byte) (index * 31 + size);
            }
            queue.put(message(data), new MQPutMessageOptions());
            Expect.equal(data, data(fetch(queue, CMQC.MQGMO_NO_WAIT, 0)));
        }
        manager.disconnect();
    }

    public void anUnknownQueueIs2085() throws Exception {
        MQQueueManager manager = connect();
        Expect.reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue("NO.SUCH.QUEUE", OUT));
        manager.disconnect();
    }

    public void putOneOpensAndCloses() throws Exception {
        MQQueueManager manager = connect();
        MQQueue queue = queue(manager);
        MQMessage message = message("one");
        manager.put(queue.getName().trim(), message, new MQPutMessageOptions());
        Expect.equal("one", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }
}
