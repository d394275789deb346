package demo;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Units of work that are done once each, whatever becomes of the connection.
 *
 * <p>They are numbered. The number of the last one that was committed stands in a message on a queue of its own, the
 * mark, which every unit replaces. So after a connection was lost in the middle of a commit the mark tells whether the
 * unit was committed or must be done again.
 */
final class Units {
    private static final long PATIENCE = 15_000;
    private static final long PAUSE = 200;

    private final ConnectionFactory factory;
    private final String mark;
    private final Map<String, MessageConsumer> consumers = new HashMap<>();
    private Connection connection;
    private Session session;
    private MessageProducer producer;
    private long committed;

    /** What is done in a unit of work; returns what is to be said once it is committed, nothing if nothing was done. */
    interface Work {
        List<String> in(Units units) throws JMSException;
    }

    Units(ConnectionFactory factory, String mark) throws JMSException {
        this.factory = factory;
        this.mark = mark;
        connect();
        sendMark(0);
        session.commit();
    }

    /** Does a piece of work, again if it was not committed, and returns what it says. */
    List<String> commit(Work work) throws InterruptedException {
        List<String> said = List.of();
        while (true) {
            try {
                if (connection == null) {
                    connect();
                    if (settle() > committed) {
                        break;
                    }
                }
                said = work.in(this);
                if (!said.isEmpty()) {
                    receiveMark();
                    sendMark(committed + 1);
                }
                session.commit();
                break;
            } catch (JMSException lost) {
                disconnect();
                Thread.sleep(PAUSE);
            }
        }
        if (!said.isEmpty()) {
            committed++;
        }
        return said;
    }

    Session session() {
        return session;
    }

    void send(Destination to, Message message, int priority, long timeToLive) throws JMSException {
        producer.send(to, message, DeliveryMode.PERSISTENT, priority, timeToLive);
    }

    /** Waits so many milliseconds for a message; not at all for 0. */
    Message receive(String queue, long wait) throws JMSException {
        MessageConsumer consumer = consumers.get(queue);
        if (consumer == null) {
            consumer = session.createConsumer(session.createQueue(queue));
            consumers.put(queue, consumer);
        }
        return wait == 0 ? consumer.receiveNoWait() : consumer.receive(wait);
    }

    /** Number of the last unit that was committed, after a new connection. */
    private long settle() throws JMSException {
        long last = receiveMark();
        sendMark(last);
        session.commit();
        return last;
    }

    private long receiveMark() throws JMSException {
        Message message = receive(mark, PATIENCE);
        if (message == null) {
            throw new JMSException("the mark is not there");
        }
        return message.getLongProperty("unit");
    }

    private void sendMark(long unit) throws JMSException {
        Message message = session.createMessage();
        message.setLongProperty("unit", unit);
        send(session.createQueue(mark), message, Message.DEFAULT_PRIORITY, 0);
    }

    private void connect() throws JMSException {
        connection = factory.createConnection();
        session = connection.createSession(true, Session.SESSION_TRANSACTED);
        producer = session.createProducer(null);
        connection.start();
    }

    private void disconnect() {
        consumers.clear();
        if (connection != null) {
            try {
                connection.close();
            } catch (JMSException gone) {
                // It was lost.
            }
            connection = null;
        }
    }
}
