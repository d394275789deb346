package mqbridge.bench;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.Hashtable;
import java.util.Locale;

/**
 * {@code put QUEUE COUNT SIZE BATCH} and {@code get QUEUE COUNT SIZE BATCH} with IBM's classes for Java, on one connection
 * that stays: persistent messages in units of work of a batch; of 0: non-persistent ones, each alone.
 */
final class ClassesRounds implements Rounds {
    private final MQQueueManager manager;

    ClassesRounds(String host, int port, String channel) throws Exception {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(CMQC.HOST_NAME_PROPERTY, host);
        properties.put(CMQC.PORT_PROPERTY, port);
        properties.put(CMQC.CHANNEL_PROPERTY, channel);
        properties.put(CMQC.TRANSPORT_PROPERTY, CMQC.TRANSPORT_MQSERIES_CLIENT);
        manager = new MQQueueManager("", properties);
    }

    @Override
    public String run(String[] command) throws Exception {
        int count = Integer.parseInt(command[2]);
        int size = Integer.parseInt(command[3]);
        int batch = Integer.parseInt(command[4]);
        boolean puts = command[0].equals("put");
        MQQueue queue = manager.accessQueue(command[1], puts ? CMQC.MQOO_OUTPUT : CMQC.MQOO_INPUT_SHARED);
        long began = System.nanoTime();
        if (puts) {
            put(queue, count, size, batch);
        } else {
            get(queue, count, size, batch);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        queue.close();
        return String.format(Locale.ROOT, "\"seconds\": %.6f", seconds);
    }

    private void put(MQQueue queue, int count, int size, int batch) throws Exception {
        byte[] body = new byte[size];
        for (int done = 1; done <= count; done++) {
            MQMessage message = new MQMessage();
            message.persistence = batch > 0 ? CMQC.MQPER_PERSISTENT : CMQC.MQPER_NOT_PERSISTENT;
            message.write(body);
            MQPutMessageOptions options = new MQPutMessageOptions();
            options.options = batch > 0 ? CMQC.MQPMO_SYNCPOINT : CMQC.MQPMO_NO_SYNCPOINT;
            queue.put(message, options);
            commit(done, count, batch);
        }
    }

    private void get(MQQueue queue, int count, int size, int batch) throws Exception {
        for (int done = 1; done <= count; done++) {
            MQMessage message = new MQMessage();
            MQGetMessageOptions options = new MQGetMessageOptions();
            options.options = batch > 0 ? CMQC.MQGMO_SYNCPOINT : CMQC.MQGMO_NO_SYNCPOINT;
            queue.get(message, options);
            if (message.getMessageLength() != size) {
                throw new IllegalStateException("message " + done + " has " + message.getMessageLength() + " bytes");
            }
            commit(done, count, batch);
        }
    }

    private void commit(int done, int count, int batch) throws Exception {
        if (batch > 0 && (done % batch == 0 || done == count)) {
            manager.commit();
        }
    }
}
