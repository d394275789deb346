package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.Destination;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.Message;
import javax.jms.Queue;

/** A program with the classes for JMS. */
class JmsProgram extends Program {
    static final long PATIENCE = 30_000;

    JmsProgram(Place place) {
        super(place);
    }

    JmsConnectionFactory factory() throws JMSException {
        JmsConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, place.host());
        factory.setIntProperty(WMQConstants.WMQ_PORT, place.port());
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, place.channel());
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, place.queueManager());
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, "checks");
        // Several consumers may have a queue of this model open.
        factory.setStringProperty(WMQConstants.WMQ_TEMPORARY_MODEL, "CHECKS.TEMPORARY");
        return factory;
    }

    JMSContext context() throws JMSException {
        return factory().createContext();
    }

    JMSContext context(int mode) throws JMSException {
        return factory().createContext(mode);
    }

    /** Sends one message to a queue of its own and receives it. */
    static Message there(JMSContext context, Message message) {
        Queue queue = context.createTemporaryQueue();
        context.createProducer().send(queue, message);
        return receive(context, queue);
    }

    static Message receive(JMSContext context, Destination from) {
        try (JMSConsumer consumer = context.createConsumer(from)) {
            Message message = consumer.receive(PATIENCE);
            Expect.that(message != null, "no message");
            return message;
        }
    }

    static String text(Message message) throws JMSException {
        Expect.that(message != null, "no message");
        return message.getBody(String.class);
    }

    static void fails(Class<? extends Exception> kind, Expect.Action action) throws Exception {
        try {
            action.run();
        } catch (JMSException | JMSRuntimeException error) {
            Expect.that(kind.isInstance(error), "another failure: " + error);
            return;
        }
        throw new AssertionError("no failure instead of " + kind.getSimpleName());
    }
}
