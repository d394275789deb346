package mqbridge.checks;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.jms.BytesMessage;
import javax.jms.DeliveryMode;
import javax.jms.Destination;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.StreamMessage;
import javax.jms.TextMessage;

/** Messages of every kind, with every header and every type of property, by name. */
final class Specimens {
    private static final String UNICODE = "Grüße, 世界, 🙂 \u0001\t\r\n <a b='c'>&amp;\"]]></a>";
    private static final Map<String, Maker> MAKERS = new LinkedHashMap<>();

    private Specimens() {}

    /** Makes a message, and may set how it is sent. */
    private interface Maker {
        Message make(JMSContext context, JMSProducer producer) throws Exception;
    }

    /** Changes a text message. */
    private interface Change {
        void to(TextMessage message, JMSContext context) throws Exception;
    }

    static List<String> names() {
        return new ArrayList<>(MAKERS.keySet());
    }

    static List<String> sent(JMSContext context, Destination to, String name) throws Exception {
        JMSProducer producer = context.createProducer();
        Message message = MAKERS.get(name).make(context, producer);
        producer.send(to, message);
        return Described.lines(message);
    }

    private static void text(String name, Change change) {
        MAKERS.put(name, (context, producer) -> {
            TextMessage message = context.createTextMessage("x");
            change.to(message, context);
            return message;
        });
    }

    private static String large() {
        char[] units = new char[1 << 20];
        for (int index = 0; index < units.length; index++) {
            units[index] = (char) ('a' + index % 23);
        }
        return new String(units);
    }

    private static byte[] largeBytes() {
        byte[] data = new byte[1 << 20];
        for (int index = 0; index < data.length; index++) {
            data[index] = (byte) (index * 7);
        }
        return data;
    }

    static {
        bodies();
        maps();
        streams();
        properties();
        headers();
        ibmProperties();
    }

    private static void bodies() {
        MAKERS.put("text", (context, producer) -> context.createTextMessage("hello"));
        MAKERS.put("text-null", (context, producer) -> context.createTextMessage());
        MAKERS.put("text-empty", (context, producer) -> context.createTextMessage(""));
        MAKERS.put("text-unicode", (context, producer) -> context.createTextMessage(UNICODE));
        MAKERS.put("text-large", (context, producer) -> context.createTextMessage(large()));
        MAKERS.put("bytes", (context, producer) -> bytes(context, new byte[] {0, -1, 127, -128}));
        MAKERS.put("bytes-empty", (context, producer) -> context.createBytesMessage());
        MAKERS.put("bytes-large", (context, producer) -> bytes(context, largeBytes()));
        MAKERS.put("object", (context, producer) -> context.createObjectMessage(new BigDecimal("12.5")));
        MAKERS.put("object-null", (context, producer) -> context.createObjectMessage());
        MAKERS.put("object-large", (context, producer) -> context.createObjectMessage(large()));
        MAKERS.put("none", (context, producer) -> context.createMessage());
        MAKERS.put("none-property", (context, producer) -> {
            Message message = context.createMessage();
            message.setStringProperty("only", "this");
            return message;
        });
    }

    private static BytesMessage bytes(JMSContext context, byte[] data) throws Exception {
        BytesMessage message = context.createBytesMessage();
        message.writeBytes(data);
        return message;
    }

    private static void maps() {
        MAKERS.put("map", (context, producer) -> {
            MapMessage map = context.createMapMessage();
            map.setBoolean("aBoolean", true);
            map.setBoolean("notABoolean", false);
            map.setByte("aByte", (byte) -8);
            map.setShort("aShort", (short) -300);
            map.setChar("aChar", '<');
            map.setChar("blank", ' ');
            map.setInt("anInt", Integer.MIN_VALUE);
            map.setLong("aLong", Long.MIN_VALUE);
            map.setFloat("aFloat", 0.1f);
            map.setDouble("aDouble", 0.1);
            map.setFloat("infinite", Float.NEGATIVE_INFINITY);
            map.setDouble("notANumber", Double.NaN);
            map.setDouble("tiny", Double.MIN_VALUE);
            map.setString("aString", UNICODE);
            map.setString("empty", "");
            map.setString("nil", null);
            map.setString("blanks", "  a  ");
            map.setBytes("bytes", new byte[] {0, 1, -1});
            map.setBytes("noBytes", new byte[0]);
            map.setObject("nullObject", null);
            return map;
        });
        MAKERS.put("map-names", (context, producer) -> {
            MapMessage map = context.createMapMessage();
            map.setInt("with blank", 1);
            map.setInt("a.b", 2);
            map.setInt("<&'é世🙂", 3);
            map.setInt("1digit", 4);
            map.setInt("elt", 5);
            return map;
        });
        MAKERS.put("map-empty", (context, producer) -> context.createMapMessage());
        MAKERS.put("map-large", (context, producer) -> {
            MapMessage map = context.createMapMessage();
            for (int index = 0; index < 20_000; index++) {
                map.setInt("number " + index, index);
                map.setString("text " + index, "<" + index + ">");
            }
            return map;
        });
    }

    private static void streams() {
        MAKERS.put("stream", (context, producer) -> {
            StreamMessage stream = context.createStreamMessage();
            stream.writeBoolean(true);
            stream.writeByte((byte) -8);
            stream.writeShort((short) -300);
            stream.writeChar('&');
            stream.writeChar('\u4e16');
            stream.writeInt(1 << 30);
            stream.writeLong(Long.MAX_VALUE);
            stream.writeFloat(1.5f);
            stream.writeDouble(Double.MAX_VALUE);
            stream.writeString(UNICODE);
            stream.writeString("");
            stream.writeString(null);
            stream.writeBytes(new byte[] {0, 1, -1});
            stream.writeBytes(new byte[0]);
            stream.writeObject(null);
            return stream;
        });
        MAKERS.put("stream-empty", (context, producer) -> context.createStreamMessage());
    }

    private static void properties() {
        text("properties", (message, context) -> {
            message.setBooleanProperty("aBoolean", true);
            message.setByteProperty("aByte", (byte) -8);
            message.setShortProperty("aShort", (short) -300);
            message.setIntProperty("anInt", 1 << 30);
            message.setLongProperty("aLong", 1L << 60);
            message.setFloatProperty("aFloat", 0.1f);
            message.setDoubleProperty("aDouble", 0.1);
            message.setDoubleProperty("notANumber", Double.NaN);
            message.setFloatProperty("infinite", Float.POSITIVE_INFINITY);
            message.setStringProperty("aString", UNICODE);
            message.setStringProperty("empty", "");
            message.setStringProperty("blanks", "  a  ");
            message.setStringProperty("nil", null);
            message.setObjectProperty("nullObject", null);
        });
        text("property-names", (message, context) -> {
            message.setIntProperty("$dollar", 1);
            message.setIntProperty("_under_line", 2);
            message.setIntProperty("umläut", 3);
            message.setIntProperty("xsi", 4);
        });
    }

    private static void headers() {
        text("correlation-text", (message, context) -> message.setJMSCorrelationID("my own id"));
        text("correlation-long", (message, context) -> message.setJMSCorrelationID("Grüße 世界 ".repeat(10)));
        text("correlation-empty", (message, context) -> message.setJMSCorrelationID(""));
        text("correlation-id", (message, context) -> message.setJMSCorrelationID("ID:" + "0a".repeat(24)));
        text("correlation-capitals", (message, context) -> message.setJMSCorrelationID("ID:" + "AB".repeat(24)));
        text("correlation-short-id", (message, context) -> message.setJMSCorrelationID("ID:414d"));
        text("correlation-bytes", (message, context) -> message.setJMSCorrelationIDAsBytes("bytes".getBytes()));
        text("correlation-24", (message, context) -> {
            byte[] id = new byte[24];
            Arrays.fill(id, (byte) 0xfe);
            message.setJMSCorrelationIDAsBytes(id);
        });
        text("type", (message, context) -> message.setJMSType("kind & <sort>"));
        text("type-empty", (message, context) -> message.setJMSType(""));
        text("type-uri", (message, context) -> message.setJMSType("mcd://mrm/set/type?format=fmt"));
        text("type-uri-short", (message, context) -> message.setJMSType("mcd://xmlns"));
        text("type-uri-middle", (message, context) -> message.setJMSType("mcd://mrm//type"));
        text("reply-queue", (message, context) -> message.setJMSReplyTo(context.createQueue("REPLIES")));
        text("reply-manager", (message, context) -> message.setJMSReplyTo(context.createQueue("queue://OTHER/REPLIES")));
        text("reply-slash", (message, context) -> message.setJMSReplyTo(context.createQueue("queue:///A/B")));
        text("reply-properties", (message, context) -> message.setJMSReplyTo(
                context.createQueue("queue://OTHER/REPLIES?priority=5&persistence=2&expiry=1000&CCSID=819")));
        text("reply-target", (message, context) -> message.setJMSReplyTo(
                context.createQueue("queue:///REPLIES?targetClient=1")));
        text("reply-topic", (message, context) -> message.setJMSReplyTo(context.createTopic("topic://a/b?priority=3")));
        MAKERS.put("persistent", (context, producer) -> {
            producer.setDeliveryMode(DeliveryMode.PERSISTENT).setPriority(0);
            return context.createTextMessage("x");
        });
        MAKERS.put("not-persistent", (context, producer) -> {
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT).setPriority(9);
            return context.createTextMessage("x");
        });
        MAKERS.put("expires", (context, producer) -> {
            producer.setTimeToLive(60_050);
            return context.createTextMessage("x");
        });
        MAKERS.put("expires-late", (context, producer) -> {
            producer.setTimeToLive(400_000_000_000L);
            return context.createTextMessage("x");
        });
        text("group", (message, context) -> {
            message.setStringProperty("JMSXGroupID", "my group");
            message.setIntProperty("JMSXGroupSeq", 3);
        });
        text("group-id", (message, context) -> message.setStringProperty("JMSXGroupID", "ID:" + "0b".repeat(24)));
        text("group-long", (message, context) -> message.setStringProperty("JMSXGroupID", "long group ".repeat(5)));
        text("group-seq", (message, context) -> message.setIntProperty("JMSXGroupSeq", 7));
        text("group-last", (message, context) -> {
            message.setStringProperty("JMSXGroupID", "my group");
            message.setIntProperty("JMSXGroupSeq", 2);
            message.setBooleanProperty("JMS_IBM_Last_Msg_In_Group", true);
        });
    }

    private static void ibmProperties() {
        text("reports", (message, context) -> {
            message.setJMSReplyTo(context.createQueue("REPLIES"));
            message.setIntProperty("JMS_IBM_Report_Exception", 0x07000000);
            message.setIntProperty("JMS_IBM_Report_Expiration", 0x00200000);
            message.setIntProperty("JMS_IBM_Report_COA", 0x00000300);
            message.setIntProperty("JMS_IBM_Report_COD", 0x00003800);
            message.setIntProperty("JMS_IBM_Report_PAN", 1);
            message.setIntProperty("JMS_IBM_Report_NAN", 2);
            message.setIntProperty("JMS_IBM_Report_Pass_Msg_ID", 0x80);
            message.setIntProperty("JMS_IBM_Report_Pass_Correl_ID", 0x40);
            message.setIntProperty("JMS_IBM_Report_Discard_Msg", 0x08000000);
        });
        text("ibm", (message, context) -> {
            message.setIntProperty("JMS_IBM_MsgType", 70_000);
            message.setIntProperty("JMS_IBM_Feedback", 66_000);
            message.setStringProperty("JMS_IBM_ArmCorrelator", "arm");
            message.setStringProperty("JMS_IBM_RMCorrelator", "wrm");
        });
        text("format", (message, context) -> message.setStringProperty("JMS_IBM_Format", "MYFORMAT"));
        text("character-set", (message, context) -> {
            message.setText("Grüße");
            message.setStringProperty("JMS_IBM_Character_Set", "ISO-8859-1");
        });
        text("character-set-wide", (message, context) -> {
            message.setText("Grüße, 世界");
            message.setStringProperty("JMS_IBM_Character_Set", "1200");
            message.setIntProperty("JMS_IBM_Encoding", 546);
        });
        MAKERS.put("bytes-encoding", (context, producer) -> {
            BytesMessage message = context.createBytesMessage();
            message.setIntProperty("JMS_IBM_Encoding", 546);
            message.setStringProperty("JMS_IBM_Character_Set", "IBM037");
            message.writeInt(1);
            message.writeDouble(2.5);
            message.writeUTF("é\u0000");
            return message;
        });
        MAKERS.put("bytes-numbers", (context, producer) -> {
            BytesMessage message = context.createBytesMessage();
            message.writeInt(1);
            message.writeDouble(2.5);
            message.writeChar('x');
            return message;
        });
        text("character-set-none", (message, context) -> message.setText("Grüße <"));
        MAKERS.put("map-small", (context, producer) -> {
            MapMessage map = context.createMapMessage();
            map.setString("text", "Grüße");
            return map;
        });
        MAKERS.put("map-ccsid", (context, producer) -> {
            MapMessage map = context.createMapMessage();
            map.setStringProperty("JMS_IBM_Character_Set", "IBM037");
            map.setString("text", "Grüße <&>");
            return map;
        });
        text("descriptor-all", (message, context) -> {
            message.setIntProperty("JMS_IBM_MQMD_Report", 0x100);
            message.setIntProperty("JMS_IBM_MQMD_MsgType", 66_000);
            message.setIntProperty("JMS_IBM_MQMD_Expiry", 900);
            message.setIntProperty("JMS_IBM_MQMD_Feedback", 67_000);
            message.setIntProperty("JMS_IBM_MQMD_Encoding", 546);
            message.setIntProperty("JMS_IBM_MQMD_CodedCharSetId", 819);
            message.setIntProperty("JMS_IBM_MQMD_Priority", 1);
            message.setIntProperty("JMS_IBM_MQMD_Persistence", 0);
            message.setIntProperty("JMS_IBM_MQMD_BackoutCount", 3);
            message.setIntProperty("JMS_IBM_MQMD_PutApplType", 6);
            message.setIntProperty("JMS_IBM_MQMD_MsgSeqNumber", 5);
            message.setIntProperty("JMS_IBM_MQMD_Offset", 0);
            message.setIntProperty("JMS_IBM_MQMD_MsgFlags", 8);
            message.setIntProperty("JMS_IBM_MQMD_OriginalLength", -1);
            message.setStringProperty("JMS_IBM_MQMD_Format", "OTHER");
            message.setStringProperty("JMS_IBM_MQMD_ReplyToQ", "REPLY.Q");
            message.setStringProperty("JMS_IBM_MQMD_ReplyToQMgr", "REPLY.QM");
            message.setStringProperty("JMS_IBM_MQMD_UserIdentifier", "somebody");
            message.setStringProperty("JMS_IBM_MQMD_ApplIdentityData", "ident");
            message.setStringProperty("JMS_IBM_MQMD_PutApplName", "appl");
            message.setStringProperty("JMS_IBM_MQMD_PutDate", "20200102");
            message.setStringProperty("JMS_IBM_MQMD_PutTime", "03040506");
            message.setStringProperty("JMS_IBM_MQMD_ApplOriginData", "orig");
            message.setObjectProperty("JMS_IBM_MQMD_MsgId", "mid".getBytes());
            message.setObjectProperty("JMS_IBM_MQMD_CorrelId", "cid".getBytes());
            message.setObjectProperty("JMS_IBM_MQMD_AccountingToken", "acc".getBytes());
            message.setObjectProperty("JMS_IBM_MQMD_GroupId", "gid".getBytes());
        });
        text("descriptor", (message, context) -> {
            message.setObjectProperty("JMS_IBM_MQMD_CorrelId", "correl".getBytes());
            message.setIntProperty("JMS_IBM_MQMD_Priority", 2);
            message.setStringProperty("JMS_IBM_MQMD_ReplyToQ", "SOMEWHERE");
            message.setStringProperty("JMS_IBM_MQMD_Format", "OTHER");
            message.setIntProperty("JMS_IBM_MQMD_Persistence", 1);
            message.setIntProperty("JMS_IBM_MQMD_Expiry", 600);
            message.setObjectProperty("JMS_IBM_MQMD_MsgId", "my own message".getBytes());
            message.setStringProperty("JMS_IBM_MQMD_UserIdentifier", "somebody");
            message.setStringProperty("JMS_IBM_MQMD_ApplOriginData", "orig");
        });
    }
}
