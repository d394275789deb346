package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.IOException;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.JMSSecurityRuntimeException;
import javax.jms.Queue;
import javax.jms.Topic;

/** Who comes in, and who does not, with the classes for JMS. */
public class JmsSecurity extends JmsProgram {
    public JmsSecurity(Place place) throws IOException {
        super(Door.at(place));
    }

    @Override
    JmsConnectionFactory factory() throws JMSException {
        JmsConnectionFactory factory = super.factory();
        factory.setStringProperty(WMQConstants.WMQ_TEMPORARY_MODEL, "SYSTEM.DEFAULT.MODEL.QUEUE");
        return factory;
    }

    private JMSContext alice() throws Exception {
        return factory().createContext(Door.USER, Door.PASSWORD);
    }

    private static void refused(Expect.Action action) throws Exception {
        fails(JMSSecurityRuntimeException.class, action);
    }

    public void theRightPasswordConnects() throws Exception {
        try (JMSContext context = alice()) {
            Queue queue = context.createQueue(Door.OPEN);
            context.createProducer().send(queue, "hello");
            Expect.equal("hello", text(receive(context, queue)));
        }
    }

    public void aWrongPasswordIsASecurityFailure() throws Exception {
        refused(() -> factory().createContext(Door.USER, "wonder").close());
    }

    public void noPasswordIsASecurityFailure() throws Exception {
        refused(() -> factory().createContext().close());
    }

    public void inCompatibilityModeThePasswordIsLookedAtToo() throws Exception {
        JmsConnectionFactory factory = factory();
        factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, false);
        try (JMSContext context = factory.createContext(Door.USER, Door.PASSWORD)) {
            context.createProducer().send(context.createQueue(Door.OPEN), "hello");
            Expect.equal("hello", text(receive(context, context.createQueue(Door.OPEN))));
        }
        refused(() -> factory.createContext(Door.USER, "wonder").close());
    }

    public void everySessionIsLetIn() throws Exception {
        try (JMSContext context = alice()) {
            for (int number = 0; number < 15; number++) {
                JMSContext another = context.createContext(JMSContext.AUTO_ACKNOWLEDGE);
                another.createProducer().send(another.createQueue(Door.OPEN), "session " + number);
                Expect.equal("session " + number, text(receive(another, another.createQueue(Door.OPEN))));
            }
        }
    }

    public void aUserWhoIsBlockedMayNotConnect() throws Exception {
        Door.whileThere(
                "TYPE(BLOCKUSER) USERLIST('" + Door.USER + "')",
                () -> refused(() -> factory().createContext(Door.USER, Door.PASSWORD).close()));
    }

    public void aQueueMayBeOutOfReach() throws Exception {
        try (JMSContext context = alice()) {
            Queue queue = context.createQueue(Door.CLOSED);
            refused(() -> context.createProducer().send(queue, "no"));
            refused(() -> context.createConsumer(queue));
            refused(() -> context.createBrowser(queue).getEnumeration());
            Expect.equal("works on", text(there(context, context.createTextMessage("works on"))));
        }
    }

    public void topicsMayBeOutOfReach() throws Exception {
        try (JMSContext context = alice()) {
            Topic open = context.createTopic("open/door");
            Topic closed = context.createTopic("closed/door");
            var consumer = context.createConsumer(open);
            context.createProducer().send(open, "news");
            Expect.equal("news", text(consumer.receive(PATIENCE)));
            fails(JMSRuntimeException.class, () -> context.createProducer().send(closed, "no"));
            fails(JMSRuntimeException.class, () -> context.createConsumer(closed));
            consumer.close();
        }
    }

    public void onTheSuppliedChannelAnybodyIsAppWhileNobodyIsChecked() throws Exception {
        Door.passwords("NONE");
        JmsConnectionFactory factory = factory();
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        try (JMSContext context = factory.createContext("somebody", "something")) {
            Queue queue = context.createQueue("DEV.QUEUE.1");
            context.createProducer().send(queue, "hello");
            Expect.equal("app", receive(context, queue).getStringProperty("JMSXUserID").trim());
            Expect.equal("hello", text(there(context, context.createTextMessage("hello"))));
            refused(() -> context.createConsumer(context.createQueue("SYSTEM.ADMIN.COMMAND.QUEUE")));
        }
    }
}
