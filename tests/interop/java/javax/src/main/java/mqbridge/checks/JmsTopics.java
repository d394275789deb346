package mqbridge.checks;

import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Message;
import javax.jms.Topic;

/** Topics, durable and shared subscriptions. */
public class JmsTopics extends JmsProgram {
    private final String root = "checks/" + System.nanoTime();

    public JmsTopics(Place place) {
        super(place);
    }

    private Topic topic(JMSContext context, String name) {
        return context.createTopic("topic://" + root + "/" + name);
    }

    public void aSubscriberHears() throws Exception {
        try (JMSContext context = context();
                JMSConsumer consumer = context.createConsumer(topic(context, "one"))) {
            context.createProducer().setProperty("number", 3).send(topic(context, "one"), "news");
            context.createProducer().send(topic(context, "other"), "noise");
            Message found = consumer.receive(PATIENCE);
            Expect.equal("news", text(found));
            Expect.equal(3, found.getIntProperty("number"));
            Expect.equal(topic(context, "one").toString(), found.getJMSDestination().toString());
            Expect.equal(null, consumer.receiveNoWait());
        }
    }

    public void allSubscribersHear() throws Exception {
        try (JMSContext context = context();
                JMSConsumer one = context.createConsumer(topic(context, "all"));
                JMSConsumer two = context.createConsumer(topic(context, "all"))) {
            context.createProducer().send(topic(context, "all"), "news");
            Expect.equal("news", text(one.receive(PATIENCE)));
            Expect.equal("news", text(two.receive(PATIENCE)));
        }
    }

    public void wildcardsMatch() throws Exception {
        try (JMSContext context = context();
                JMSConsumer level = context.createConsumer(topic(context, "+/price"));
                JMSConsumer rest = context.createConsumer(topic(context, "#"))) {
            context.createProducer().send(topic(context, "ibm/price"), "1");
            context.createProducer().send(topic(context, "ibm/volume"), "2");
            Expect.equal("1", text(level.receive(PATIENCE)));
            Expect.equal(null, level.receiveNoWait());
            Expect.equal("1", text(rest.receive(PATIENCE)));
            Expect.equal("2", text(rest.receive(PATIENCE)));
        }
    }

    public void aSubscriptionSelects() throws Exception {
        try (JMSContext context = context();
                JMSConsumer consumer = context.createConsumer(topic(context, "select"), "color = 'red'")) {
            context.createProducer().setProperty("color", "blue").send(topic(context, "select"), "no");
            context.createProducer().setProperty("color", "red").send(topic(context, "select"), "yes");
            Expect.equal("yes", text(consumer.receive(PATIENCE)));
            Expect.equal(null, consumer.receiveNoWait());
        }
    }

    public void aDurableSubscriptionKeeps() throws Exception {
        String client = "client" + System.nanoTime();
        try (JMSContext context = context()) {
            context.setClientID(client);
            context.createDurableConsumer(topic(context, "kept"), "mine").close();
            context.createProducer().send(topic(context, "kept"), "meanwhile");
        }
        try (JMSContext context = context()) {
            context.setClientID(client);
            JMSConsumer consumer = context.createDurableConsumer(topic(context, "kept"), "mine");
            Expect.equal("meanwhile", text(consumer.receive(PATIENCE)));
            consumer.close();
            context.unsubscribe("mine");
        }
    }

    public void sharedConsumersShare() throws Exception {
        try (JMSContext context = context();
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE);
                JMSConsumer one = context.createSharedConsumer(topic(context, "shared"), "work");
                JMSConsumer two = other.createSharedConsumer(topic(other, "shared"), "work")) {
            context.createProducer().send(topic(context, "shared"), "job");
            Message first = one.receive(500);
            Message second = first == null ? two.receive(PATIENCE) : two.receiveNoWait();
            Expect.that((first == null) != (second == null), "exactly one has it");
        }
    }

    public void aTopicListenerHears() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        try (JMSContext context = context();
                JMSContext sender = context.createContext(JMSContext.AUTO_ACKNOWLEDGE);
                JMSConsumer consumer = context.createConsumer(topic(context, "heard"))) {
            consumer.setMessageListener(message -> heard.add("heard"));
            sender.createProducer().send(topic(sender, "heard"), "x");
            Expect.equal("heard", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
        }
    }

    public void aRetainedPublicationWaits() throws Exception {
        try (JMSContext context = context()) {
            Message message = context.createTextMessage("kept");
            message.setIntProperty(WMQConstants.JMS_IBM_RETAIN, 1);
            context.createProducer().send(topic(context, "retained"), message);
            try (JMSConsumer consumer = context.createConsumer(topic(context, "retained"))) {
                Expect.equal("kept", text(consumer.receive(PATIENCE)));
            }
        }
    }
}
