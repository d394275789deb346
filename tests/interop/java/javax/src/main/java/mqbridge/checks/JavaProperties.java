package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.*;

import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.TreeSet;

/** Properties of messages, and conversion of their data. */
public class JavaProperties extends JavaProgram {
    private static final int EBCDIC = 500;

    private final MQQueueManager manager = connect();
    private final MQQueue queue = shared(manager);

    public JavaProperties(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private void putColoured() throws Exception {
        MQMessage message = message("body");
        message.setStringProperty("colour", "red");
        message.setIntProperty("number", 7);
        queue.put(message, new MQPutMessageOptions());
    }

    public void propertiesOfEveryTypeTravel() throws Exception {
        MQMessage message = message("body");
        message.setStringProperty("string", "text <&> with marks");
        message.setIntProperty("int", -7);
        message.setLongProperty("long", 1L << 40);
        message.setShortProperty("short", (short) -300);
        message.setByteProperty("byte", (byte) -3);
        message.setBooleanProperty("boolean", true);
        message.setFloatProperty("float", 1.5f);
        message.setDoubleProperty("double", -2.25);
        message.setBytesProperty("bytes", new byte[] {0, 1, -1});
        message.setObjectProperty("nothing", null);
        queue.put(message, new MQPutMessageOptions());
        MQMessage found = fetch(queue, MQGMO_PROPERTIES_IN_HANDLE, 0);
        Expect.equal("body", text(found));
        Expect.equal("text <&> with marks", found.getStringProperty("string"));
        Expect.equal(-7, found.getIntProperty("int"));
        Expect.equal(1L << 40, found.getLongProperty("long"));
        Expect.equal((short) -300, found.getShortProperty("short"));
        Expect.equal((byte) -3, found.getByteProperty("byte"));
        Expect.equal(true, found.getBooleanProperty("boolean"));
        Expect.equal(1.5f, found.getFloatProperty("float"));
        Expect.equal(-2.25, found.getDoubleProperty("double"));
        Expect.equal(new byte[] {0, 1, -1}, found.getBytesProperty("bytes"));
        Expect.equal(null, found.getObjectProperty("nothing"));
    }

    public void propertiesAreListedByName() throws Exception {
        MQMessage message = message("body");
        for (String name : new String[] {"a.one", "a.two", "b.one"}) {
            message.setStringProperty(name, "x");
        }
        queue.put(message, new MQPutMessageOptions());
        MQMessage found = fetch(queue, MQGMO_PROPERTIES_IN_HANDLE, 0);
        var names = new TreeSet<>(Collections.list(found.getPropertyNames("a.%")));
        Expect.equal("[a.one, a.two]", names.toString());
        found.deleteProperty("a.one");
        Expect.reason(MQRC_PROPERTY_NOT_AVAILABLE, () -> found.getObjectProperty("a.one"));
    }

    public void propertiesMayBeAskedForAsAHeader() throws Exception {
        putColoured();
        MQMessage found = fetch(queue, MQGMO_PROPERTIES_FORCE_MQRFH2, 0);
        Expect.equal(MQFMT_RF_HEADER_2, found.format);
        byte[] data = data(found);
        Expect.equal("RFH ", new String(data, 0, 4, "US-ASCII"));
        String all = new String(data, "UTF-8");
        Expect.that(all.contains(">red</colour>") && all.endsWith("body"), all);
    }

    public void propertiesMayBeLeftOut() throws Exception {
        putColoured();
        MQMessage found = fetch(queue, MQGMO_NO_PROPERTIES, 0);
        Expect.equal(MQFMT_STRING, found.format);
        Expect.equal("body", text(found));
        Expect.that(!found.getPropertyNames("%").hasMoreElements(), "there are properties");
    }

    public void compatiblePropertiesComeAsAHeader() throws Exception {
        putColoured();
        MQMessage found = fetch(queue, MQGMO_PROPERTIES_COMPATIBILITY, 0);
        Expect.equal(MQFMT_RF_HEADER_2, found.format);
        String all = text(found);
        Expect.that(all.contains(">7</number>") && all.endsWith("body"), all);
    }

    public void theRestOfALongMessageKeepsItsProperties() throws Exception {
        MQMessage message = message(new byte[200_000]);
        message.setStringProperty("text", "x".repeat(20_000));
        queue.put(message, new MQPutMessageOptions());
        MQMessage found = fetch(queue, MQGMO_PROPERTIES_IN_HANDLE, 0);
        Expect.equal(200_000, found.getMessageLength());
        Expect.equal(20_000, found.getStringProperty("text").length());
    }

    private void put(String text, int ccsid, String charset) throws Exception {
        MQMessage message = new MQMessage();
        message.format = MQFMT_STRING;
        message.characterSet = ccsid;
        message.write(text.getBytes(Charset.forName(charset)));
        queue.put(message, new MQPutMessageOptions());
    }

    private MQMessage converted(int ccsid) throws Exception {
        MQMessage message = new MQMessage();
        message.characterSet = ccsid;
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQGMO_CONVERT;
        queue.get(message, how);
        return message;
    }

    public void textIsConverted() throws Exception {
        put("Grüße, 1234!", 1208, "UTF-8");
        MQMessage found = converted(EBCDIC);
        Expect.equal(EBCDIC, found.characterSet);
        Expect.equal("Grüße, 1234!", new String(data(found), "IBM500"));
        put("Grüße, 1234!", EBCDIC, "IBM500");
        MQMessage back = converted(1208);
        Expect.equal("Grüße, 1234!", text(back));
    }

    public void textIsConvertedToTwoBytesACharacter() throws Exception {
        put("Grüße 世界", 1208, "UTF-8");
        MQMessage found = converted(1200);
        Expect.equal(1200, found.characterSet);
        Expect.equal("Grüße 世界", new String(data(found), "UTF-16BE"));
    }

    public void withoutConversionTextStaysAsItIs() throws Exception {
        put("Grüße", EBCDIC, "IBM500");
        MQMessage found = new MQMessage();
        found.characterSet = 1208;
        queue.get(found, new MQGetMessageOptions());
        Expect.equal(EBCDIC, found.characterSet);
        Expect.equal("Grüße", new String(data(found), "IBM500"));
    }

    public void dataWithoutFormatAreNotConverted() throws Exception {
        MQMessage message = message(new byte[] {1, 2, 3});
        message.characterSet = 1208;
        queue.put(message, new MQPutMessageOptions());
        MQMessage found = new MQMessage();
        found.characterSet = EBCDIC;
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQGMO_CONVERT;
        Expect.reason(MQRC_FORMAT_ERROR, () -> queue.get(found, how));
        Expect.equal(new byte[] {1, 2, 3}, data(found));
        Expect.equal(1208, found.characterSet);
    }

    public void anUnknownCodePageWarns() throws Exception {
        put("text", 1208, "UTF-8");
        MQMessage found = new MQMessage();
        found.characterSet = 12345;
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQGMO_CONVERT;
        Expect.reason(MQRC_TARGET_CCSID_ERROR, () -> queue.get(found, how));
        Expect.equal("text", text(found));
        Expect.equal(0, queue.getCurrentDepth());
    }

    public void convertedTextKeepsItsProperties() throws Exception {
        MQMessage message = message("Grüße");
        message.setStringProperty("colour", "grün");
        queue.put(message, new MQPutMessageOptions());
        MQMessage found = converted(EBCDIC);
        Expect.equal("Grüße", new String(data(found), "IBM500"));
        Expect.equal("grün", found.getStringProperty("colour"));
    }
}
