package mqbridge.checks;

import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.constants.MQConstants;
import com.ibm.mq.headers.MQDataException;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.Map;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.Queue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Connects as it is told, any number of times in one JVM, and says what came of it.
 *
 * <p>A request is a line of {@code KEY=VALUE} separated by tabs: {@code api} (java or jms), {@code port}, {@code
 * channel}, {@code manager}; {@code cipher}, {@code peer}; {@code trust} and {@code key}, PKCS #12 files with the
 * password {@value #STORE_PASSWORD}, instead of those of the JVM; {@code user}, {@code password}, {@code clear} (the
 * password beside the user); {@code queue}, {@code text}: a message to put and to get; {@code pcf} (java alone): a queue
 * to make, show and delete by PCF commands, and the status of the channel to show. The answer is a line with the
 * reason code, 0 for none, and the text of the failures from the outermost to the innermost.
 */
public final class TlsCalls {
    private static final String STORE_PASSWORD = "changeit";
    private static final int WAIT = 20_000;

    private final Map<String, String> wish;

    private TlsCalls(Map<String, String> wish) {
        this.wish = wish;
    }

    public static void main(String[] arguments) throws IOException {
        MQException.log = null;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Map<String, String> wish = new HashMap<>();
            for (String pair : line.split("\t")) {
                int at = pair.indexOf('=');
                wish.put(pair.substring(0, at), pair.substring(at + 1));
            }
            System.out.println("outcome " + new TlsCalls(wish).outcome());
            System.out.flush();
        }
        System.exit(0); // the clients' threads go on for a while otherwise
    }

    private String outcome() {
        try {
            if (wish.get("api").equals("jms")) {
                jms();
            } else {
                classes();
            }
            return "0";
        } catch (Exception error) {
            return reason(error) + " " + told(error);
        }
    }

    /** The reason code of the innermost failure that has one, -1 if none has. */
    private static int reason(Throwable error) {
        int found = -1;
        for (Throwable each = error; each != null; each = under(each)) {
            if (each instanceof MQException failure) {
                found = failure.reasonCode;
            }
        }
        return found;
    }

    private static String told(Throwable error) {
        StringBuilder text = new StringBuilder();
        for (Throwable each = error; each != null; each = under(each)) {
            String words = String.valueOf(each.getMessage()).replaceAll("\\s+", " ");
            text.append(" / ").append(each.getClass().getSimpleName()).append(": ").append(words);
        }
        return text.substring(3);
    }

    private static Throwable under(Throwable error) {
        boolean linked = error instanceof JMSException failure && failure.getLinkedException() != null;
        return linked ? ((JMSException) error).getLinkedException() : error.getCause();
    }

    private void classes() throws MQException, IOException, GeneralSecurityException, MQDataException {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(MQConstants.TRANSPORT_PROPERTY, MQConstants.TRANSPORT_MQSERIES_CLIENT);
        properties.put(MQConstants.HOST_NAME_PROPERTY, "127.0.0.1");
        properties.put(MQConstants.PORT_PROPERTY, Integer.valueOf(wish.get("port")));
        properties.put(MQConstants.CHANNEL_PROPERTY, wish.get("channel"));
        properties.put(MQConstants.APPNAME_PROPERTY, "checks");
        if (wish.containsKey("cipher")) {
            properties.put(MQConstants.SSL_CIPHER_SUITE_PROPERTY, wish.get("cipher"));
            SSLSocketFactory sockets = sockets();
            if (sockets != null) {
                properties.put(MQConstants.SSL_SOCKET_FACTORY_PROPERTY, sockets);
            }
        }
        if (wish.containsKey("peer")) {
            properties.put(MQConstants.SSL_PEER_NAME_PROPERTY, wish.get("peer"));
        }
        if (wish.containsKey("user")) {
            properties.put(MQConstants.USER_ID_PROPERTY, wish.get("user"));
            properties.put(MQConstants.PASSWORD_PROPERTY, wish.get("password"));
            properties.put(MQConstants.USE_MQCSP_AUTHENTICATION_PROPERTY, !wish.containsKey("clear"));
        }
        MQQueueManager manager = new MQQueueManager(wish.get("manager"), properties);
        try {
            if (wish.containsKey("queue")) {
                MQQueue queue = manager.accessQueue(wish.get("queue"), CMQC.MQOO_OUTPUT | CMQC.MQOO_INPUT_SHARED);
                MQMessage message = new MQMessage();
                message.format = CMQC.MQFMT_STRING;
                message.characterSet = 1208;
                message.writeString(wish.get("text"));
                queue.put(message, new MQPutMessageOptions());
                MQGetMessageOptions how = new MQGetMessageOptions();
                how.options = CMQC.MQGMO_WAIT;
                how.waitInterval = WAIT;
                MQMessage back = new MQMessage();
                queue.get(back, how);
                Expect.equal(wish.get("text"), back.readStringOfByteLength(back.getMessageLength()));
                queue.close();
            }
            if (wish.containsKey("pcf")) {
                commands(manager);
            }
        } finally {
            manager.disconnect();
        }
    }

    private void commands(MQQueueManager manager) throws IOException, MQDataException {
        PCFMessageAgent agent = new PCFMessageAgent(manager);
        PCFMessage create = new PCFMessage(CMQCFC.MQCMD_CREATE_Q);
        create.addParameter(CMQC.MQCA_Q_NAME, wish.get("pcf"));
        create.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
        create.addParameter(CMQC.MQIA_MAX_Q_DEPTH, 55);
        agent.send(create);
        PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        inquire.addParameter(CMQC.MQCA_Q_NAME, wish.get("pcf"));
        Expect.equal(55, agent.send(inquire)[0].getIntParameterValue(CMQC.MQIA_MAX_Q_DEPTH));
        PCFMessage status = new PCFMessage(CMQCFC.MQCMD_INQUIRE_CHANNEL_STATUS);
        status.addParameter(CMQCFC.MQCACH_CHANNEL_NAME, wish.get("channel"));
        PCFMessage shown = agent.send(status)[0];
        Expect.equal(wish.get("cipher"), shown.getStringParameterValue(CMQCFC.MQCACH_SSL_CIPHER_SPEC).trim());
        PCFMessage delete = new PCFMessage(CMQCFC.MQCMD_DELETE_Q);
        delete.addParameter(CMQC.MQCA_Q_NAME, wish.get("pcf"));
        agent.send(delete);
        agent.disconnect();
    }

    private void jms() throws JMSException, IOException, GeneralSecurityException {
        JmsConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, Integer.parseInt(wish.get("port")));
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, wish.get("channel"));
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, wish.get("manager"));
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, "checks");
        if (wish.containsKey("cipher")) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, wish.get("cipher"));
            SSLSocketFactory sockets = sockets();
            if (sockets != null) {
                factory.setObjectProperty(WMQConstants.WMQ_SSL_SOCKET_FACTORY, sockets);
            }
        }
        if (wish.containsKey("peer")) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_PEER_NAME, wish.get("peer"));
        }
        factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, !wish.containsKey("clear"));
        String user = wish.get("user");
        try (JMSContext context = user == null
                ? factory.createContext()
                : factory.createContext(user, wish.get("password"))) {
            if (wish.containsKey("queue")) {
                Queue queue = context.createQueue(wish.get("queue"));
                context.createProducer().send(queue, wish.get("text"));
                try (JMSConsumer consumer = context.createConsumer(queue)) {
                    Expect.equal(wish.get("text"), consumer.receiveBody(String.class, WAIT));
                }
            }
        }
    }

    /** Sockets with the stores of the wish; null where it names none, so that those of the JVM count. */
    private SSLSocketFactory sockets() throws IOException, GeneralSecurityException {
        if (!wish.containsKey("trust") && !wish.containsKey("key")) {
            return null;
        }
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(wish.containsKey("trust") ? store("trust") : null);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(wish.containsKey("key") ? store("key") : null, STORE_PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    private KeyStore store(String key) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(Path.of(wish.get(key)))) {
            store.load(file, STORE_PASSWORD.toCharArray());
        }
        return store;
    }
}
