package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsPropertyContext;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Set;
import java.util.TreeSet;
import javax.jms.IllegalStateRuntimeException;
import javax.jms.InvalidDestinationRuntimeException;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.Message;
import javax.jms.TemporaryTopic;
import javax.jms.Topic;

/** Durable and shared subscriptions in every form, and what publications carry. */
public class JmsSubscriptions extends JmsProgram {
    private final String root = "subscriptions/" + System.nanoTime();
    private final String client = "client" + System.nanoTime();

    public JmsSubscriptions(Place place) {
        super(place);
    }

    private Topic topic(JMSContext context, String name) {
        return context.createTopic("topic://" + root + "/" + name);
    }

    private JMSContext identified() throws JMSException {
        JMSContext context = context();
        context.setClientID(client);
        return context;
    }

    private void publish(String topic, String text) throws JMSException {
        try (JMSContext context = context()) {
            context.createProducer().send(topic(context, topic), text);
        }
    }

    public void aDurableSubscriptionMissesNothing() throws Exception {
        for (int round = 0; round < 3; round++) {
            try (JMSContext context = identified();
                    JMSConsumer consumer = context.createDurableConsumer(topic(context, "durable"), "mine")) {
                for (int number = 0; round > 0 && number < 3; number++) {
                    Expect.equal("round " + (round - 1) + " " + number, text(consumer.receive(PATIENCE)));
                }
                Expect.equal(null, consumer.receiveNoWait());
            }
            for (int number = 0; number < 3; number++) {
                publish("durable", "round " + round + " " + number);
            }
        }
        try (JMSContext context = identified()) {
            context.unsubscribe("mine");
        }
    }

    public void unsubscribingForgetsWhatWaits() throws Exception {
        try (JMSContext context = identified()) {
            context.createDurableConsumer(topic(context, "forgotten"), "gone").close();
            publish("forgotten", "x");
            context.unsubscribe("gone");
            try (JMSConsumer consumer = context.createDurableConsumer(topic(context, "forgotten"), "gone")) {
                Expect.equal(null, consumer.receiveNoWait());
            }
            context.unsubscribe("gone");
        }
    }

    public void anUnknownSubscriptionIsNotUnsubscribed() throws Exception {
        try (JMSContext context = identified()) {
            fails(InvalidDestinationRuntimeException.class, () -> context.unsubscribe("never was"));
        }
    }

    public void aSubscriptionInUseIsNotUnsubscribed() throws Exception {
        try (JMSContext context = identified()) {
            try (JMSConsumer consumer = context.createDurableConsumer(topic(context, "used"), "used")) {
                fails(IllegalStateRuntimeException.class, () -> context.unsubscribe("used"));
                Expect.equal(null, consumer.receiveNoWait());
            }
            context.unsubscribe("used");
        }
    }

    public void aDurableSubscriptionHasOneConsumer() throws Exception {
        try (JMSContext context = identified();
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            try (JMSConsumer consumer = context.createDurableConsumer(topic(context, "one"), "one")) {
                fails(JMSRuntimeException.class, () -> other.createDurableConsumer(topic(other, "one"), "one"));
                Expect.equal(null, consumer.receiveNoWait());
            }
            context.unsubscribe("one");
        }
    }

    public void aChangedTopicStartsAnew() throws Exception {
        try (JMSContext context = identified()) {
            context.createDurableConsumer(topic(context, "before"), "changing").close();
            publish("before", "old");
            try (JMSConsumer consumer = context.createDurableConsumer(topic(context, "after"), "changing")) {
                publish("before", "older");
                publish("after", "new");
                Expect.equal("new", text(consumer.receive(PATIENCE)));
                Expect.equal(null, consumer.receiveNoWait());
            }
            context.unsubscribe("changing");
        }
    }

    public void aDurableSubscriptionSelects() throws Exception {
        try (JMSContext context = identified()) {
            Topic topic = topic(context, "chosen");
            context.createDurableConsumer(topic, "chooser", "number > 1", false).close();
            for (int number = 0; number < 4; number++) {
                context.createProducer().setProperty("number", number).send(topic, "n" + number);
            }
            try (JMSConsumer consumer = context.createDurableConsumer(topic, "chooser", "number > 1", false)) {
                Expect.equal("n2", text(consumer.receive(PATIENCE)));
                Expect.equal("n3", text(consumer.receive(PATIENCE)));
                Expect.equal(null, consumer.receiveNoWait());
            }
            context.unsubscribe("chooser");
        }
    }

    public void sharedDurableConsumersShare() throws Exception {
        Set<String> found = new TreeSet<>();
        try (JMSContext context = identified();
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Topic topic = topic(context, "jobs");
            JMSConsumer one = context.createSharedDurableConsumer(topic, "workers");
            JMSConsumer two = other.createSharedDurableConsumer(topic, "workers");
            for (int number = 0; number < 6; number++) {
                context.createProducer().send(topic, "job " + number);
            }
            for (int number = 0; number < 3; number++) {
                found.add(text(one.receive(PATIENCE)));
                found.add(text(two.receive(PATIENCE)));
            }
            Expect.equal(6, found.size());
            one.close();
            two.close();
            context.createProducer().send(topic, "kept");
            try (JMSConsumer later = context.createSharedDurableConsumer(topic, "workers")) {
                Expect.equal("kept", text(later.receive(PATIENCE)));
            }
            context.unsubscribe("workers");
        }
    }

    public void aSharedSubscriptionEndsWithItsLastConsumer() throws Exception {
        try (JMSContext context = context()) {
            Topic topic = topic(context, "shared");
            JMSConsumer one = context.createSharedConsumer(topic, "team");
            JMSConsumer two = context.createSharedConsumer(topic, "team");
            one.close();
            context.createProducer().send(topic, "x");
            Expect.equal("x", text(two.receive(PATIENCE)));
            context.createProducer().send(topic, "y");
            two.close();
            try (JMSConsumer three = context.createSharedConsumer(topic, "team")) {
                Expect.equal(null, three.receiveNoWait());
            }
        }
    }

    public void whatOneConnectionPublishesItMayNotHear() throws Exception {
        try (JMSContext context = context();
                JMSContext other = context()) {
            Topic topic = topic(context, "local");
            try (JMSConsumer consumer = context.createConsumer(topic, null, true)) {
                context.createProducer().send(topic, "own");
                other.createProducer().send(topic, "of another");
                Expect.equal("of another", text(consumer.receive(PATIENCE)));
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void aTemporaryTopicIsForReplies() throws Exception {
        try (JMSContext context = context();
                JMSContext other = context()) {
            TemporaryTopic replies = context.createTemporaryTopic();
            try (JMSConsumer consumer = context.createConsumer(replies);
                    JMSConsumer requests = other.createConsumer(topic(other, "requests"))) {
                context.createProducer().setJMSReplyTo(replies).send(topic(context, "requests"), "question");
                Message request = requests.receive(PATIENCE);
                other.createProducer().send(request.getJMSReplyTo(), "answer");
                Expect.equal("answer", text(consumer.receive(PATIENCE)));
            }
        }
    }

    public void aTransactionPublishesAtItsEnd() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED);
                JMSContext other = context();
                JMSConsumer consumer = other.createConsumer(topic(other, "unit"))) {
            context.createProducer().send(topic(context, "unit"), "never");
            context.rollback();
            context.createProducer().send(topic(context, "unit"), "in time");
            Expect.equal(null, consumer.receiveNoWait());
            context.commit();
            Expect.equal("in time", text(consumer.receive(PATIENCE)));
        }
    }

    public void characterWildcardsMatch() throws Exception {
        try (JMSContext context = context()) {
            Topic topic = context.createTopic("topic://" + root + "/a*z");
            ((JmsPropertyContext) topic)
                    .setIntProperty(WMQConstants.WMQ_WILDCARD_FORMAT, WMQConstants.WMQ_WILDCARD_CHAR_ONLY);
            try (JMSConsumer consumer = context.createConsumer(topic)) {
                publish("abc/xyz", "yes");
                publish("abc/xy", "no");
                Expect.equal("yes", text(consumer.receive(PATIENCE)));
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void aRetainedPublicationIsMarked() throws Exception {
        try (JMSContext context = context()) {
            Topic topic = topic(context, "retained");
            try (JMSConsumer early = context.createConsumer(topic)) {
                Message message = context.createTextMessage("kept");
                message.setIntProperty(WMQConstants.JMS_IBM_RETAIN, WMQConstants.RETAIN_PUBLICATION);
                context.createProducer().send(topic, message);
                Message live = early.receive(PATIENCE);
                Expect.that(!live.propertyExists(WMQConstants.JMS_IBM_RETAIN), "a live copy is marked");
            }
            try (JMSConsumer late = context.createConsumer(topic)) {
                Message found = late.receive(PATIENCE);
                Expect.equal("kept", text(found));
                Expect.equal(1, found.getIntProperty(WMQConstants.JMS_IBM_RETAIN));
            }
        }
    }

    public void priorityAndTypeOfPublicationsTravel() throws Exception {
        try (JMSContext context = context();
                JMSConsumer consumer = context.createConsumer(topic(context, "headers"))) {
            context.createProducer()
                    .setPriority(8)
                    .setJMSType("kind")
                    .setJMSCorrelationID("together")
                    .setTimeToLive(60_000)
                    .send(topic(context, "headers"), "x");
            Message found = consumer.receive(PATIENCE);
            Expect.equal(8, found.getJMSPriority());
            Expect.equal("kind", found.getJMSType());
            Expect.equal("together", found.getJMSCorrelationID());
            long left = found.getJMSExpiration() - System.currentTimeMillis();
            Expect.that(left > 50_000 && left <= 61_000, left + " ms left");
        }
    }

    public void aDurableSubscriptionNeedsAClientId() throws Exception {
        JmsConnectionFactory factory = factory();
        try (JMSContext context = factory.createContext()) {
            fails(IllegalStateRuntimeException.class, () -> context.createDurableConsumer(topic(context, "x"), "n"));
        }
    }
}
