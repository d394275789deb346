package mqbridge.checks;

import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.MQConstants;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Hashtable;

/** A program with the MQ classes for Java. */
class JavaProgram extends Program {
    static final int OUT = CMQC.MQOO_OUTPUT | CMQC.MQOO_FAIL_IF_QUIESCING;
    static final int IN = CMQC.MQOO_INPUT_AS_Q_DEF | CMQC.MQOO_FAIL_IF_QUIESCING;
    static final int BOTH = OUT | IN | CMQC.MQOO_INQUIRE | CMQC.MQOO_BROWSE;

    JavaProgram(Place place) {
        super(place);
        MQException.logExclude(CMQC.MQRC_NO_MSG_AVAILABLE);
        MQException.log = null;
    }

    Hashtable<String, Object> properties() {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(MQConstants.TRANSPORT_PROPERTY, MQConstants.TRANSPORT_MQSERIES_CLIENT);
        properties.put(MQConstants.HOST_NAME_PROPERTY, place.host());
        properties.put(MQConstants.PORT_PROPERTY, place.port());
        properties.put(MQConstants.CHANNEL_PROPERTY, place.channel());
        properties.put(MQConstants.APPNAME_PROPERTY, "checks");
        return properties;
    }

    MQQueueManager connect() throws MQException {
        return new MQQueueManager(place.queueManager(), properties());
    }

    /** A queue of its own for a check: a temporary dynamic one. */
    static MQQueue queue(MQQueueManager manager) throws MQException {
        return manager.accessQueue("SYSTEM.DEFAULT.MODEL.QUEUE", BOTH | CMQC.MQOO_SET, null, "CHECK.*", null);
    }

    /** The same, which several handles may have open for input. */
    static MQQueue shared(MQQueueManager manager) throws MQException {
        return manager.accessQueue("CHECKS.TEMPORARY", BOTH | CMQC.MQOO_SET, null, "CHECK.*", null);
    }

    static MQMessage message(String text) throws IOException {
        MQMessage message = new MQMessage();
        message.format = CMQC.MQFMT_STRING;
        message.characterSet = 1208;
        message.writeString(text);
        return message;
    }

    static MQMessage message(byte[] data) throws IOException {
        MQMessage message = new MQMessage();
        message.write(data);
        return message;
    }

    static void put(MQQueue queue, String text) throws MQException, IOException {
        queue.put(message(text), new MQPutMessageOptions());
    }

    static String get(MQQueue queue, int options) throws MQException, IOException {
        return text(fetch(queue, options, 0));
    }

    static MQMessage fetch(MQQueue queue, int options, int wait) throws MQException {
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = options;
        how.waitInterval = wait;
        MQMessage message = new MQMessage();
        queue.get(message, how);
        return message;
    }

    static byte[] data(MQMessage message) throws IOException {
        byte[] data = new byte[message.getMessageLength()];
        message.readFully(data);
        return data;
    }

    static String text(MQMessage message) throws IOException {
        return new String(data(message), StandardCharsets.UTF_8);
    }
}
