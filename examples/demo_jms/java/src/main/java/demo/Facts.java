package demo;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.StringJoiner;

/** All that a client library reads in a message, in one line: fields {@code name=type:value} with tabs in between. */
final class Facts {
    private static final int LONGEST = 300;

    private final StringJoiner fields = new StringJoiner("\t");

    private Facts() {}

    /** Something that a message is asked for. */
    private interface Question {
        Object answer() throws JMSException;
    }

    static String of(Message message) throws JMSException {
        Facts facts = new Facts();
        facts.headers(message);
        for (Object name : Collections.list(message.getPropertyNames())) {
            facts.add("." + name, () -> message.getObjectProperty((String) name));
        }
        facts.body(message);
        return facts.fields.toString();
    }

    private void headers(Message message) {
        add("JMSMessageID", message::getJMSMessageID);
        add("JMSCorrelationID", message::getJMSCorrelationID);
        add("JMSType", message::getJMSType);
        add("JMSDeliveryMode", message::getJMSDeliveryMode);
        add("JMSPriority", message::getJMSPriority);
        add("JMSExpiration", message::getJMSExpiration);
        add("JMSTimestamp", message::getJMSTimestamp);
    }

    private void body(Message message) throws JMSException {
        if (message instanceof TextMessage text) {
            add("text", text::getText);
        } else if (message instanceof BytesMessage bytes) {
            bytes.reset();
            byte[] data = new byte[(int) bytes.getBodyLength()];
            bytes.readBytes(data);
            add("bytes", () -> data);
        } else if (message instanceof MapMessage map) {
            for (Object name : Collections.list(map.getMapNames())) {
                add("map[" + name + "]", () -> map.getObject((String) name));
            }
        } else if (message instanceof StreamMessage stream) {
            stream.reset();
            stream(stream);
        } else if (message instanceof ObjectMessage object) {
            add("object", () -> serialized(object.getObject()));
        }
    }

    private void stream(StreamMessage stream) throws JMSException {
        for (int index = 0; true; index++) {
            Object value;
            try {
                value = stream.readObject();
            } catch (MessageEOFException end) {
                return;
            }
            add("stream[" + index + "]", () -> value);
        }
    }

    private void add(String name, Question question) {
        String type;
        String text;
        try {
            Object value = question.answer();
            type = value == null ? "null" : value.getClass().getSimpleName();
            text = value instanceof byte[] data ? HexFormat.of().formatHex(data) : String.valueOf(value);
        } catch (JMSException unreadable) {
            type = "unreadable";
            text = unreadable.getMessage();
        }
        fields.add(escaped(name) + "=" + type + ":" + shortened(escaped(text)));
    }

    private static String escaped(String text) {
        StringBuilder made = new StringBuilder();
        for (char unit : text.toCharArray()) {
            if (unit >= ' ' && unit < 127 && unit != '\\' && unit != '=') {
                made.append(unit);
            } else {
                made.append(String.format("\\u%04x", (int) unit));
            }
        }
        return made.toString();
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST
                ? text
                : text.length() + " characters, SHA-256 " + digest(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String digest(byte[] data) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    private static byte[] serialized(Object value) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(data)) {
            out.writeObject(value);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return data.toByteArray();
    }
}
