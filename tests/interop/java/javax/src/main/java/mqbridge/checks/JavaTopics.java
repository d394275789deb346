package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.*;

import com.ibm.mq.MQDestination;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQSubscription;
import com.ibm.mq.MQTopic;

/** Publications and subscriptions with the classes for Java. */
public class JavaTopics extends JavaProgram {
    private static final int SUBSCRIBE = MQSO_CREATE | MQSO_MANAGED | MQSO_NON_DURABLE | MQSO_FAIL_IF_QUIESCING;
    private static final int DURABLE = MQSO_CREATE | MQSO_MANAGED | MQSO_DURABLE | MQSO_FAIL_IF_QUIESCING;

    private final MQQueueManager manager = connect();
    private final String root = "java" + System.nanoTime();

    public JavaTopics(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private MQTopic subscribe(String topic, int options) throws Exception {
        return manager.accessTopic(root + "/" + topic, "", MQTOPIC_OPEN_AS_SUBSCRIPTION, options);
    }

    private MQTopic durable(String topic, int options, String name) throws Exception {
        return manager.accessTopic(root + "/" + topic, "", options, null, root + name);
    }

    private void publish(String topic, String text, int options) throws Exception {
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = options;
        manager.put(MQOT_TOPIC, null, null, root + "/" + topic, message(text), how);
    }

    private static MQMessage take(MQDestination from) throws Exception {
        MQGetMessageOptions how = new MQGetMessageOptions();
        how.options = MQGMO_WAIT;
        how.waitInterval = 5000;
        MQMessage message = new MQMessage();
        from.get(message, how);
        return message;
    }

    private static void nothing(MQDestination from) throws Exception {
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> from.get(new MQMessage(), new MQGetMessageOptions()));
    }

    public void publicationsReachSubscriptions() throws Exception {
        MQTopic subscription = subscribe("news", SUBSCRIBE);
        MQTopic publisher = manager.accessTopic(root + "/news", "", MQTOPIC_OPEN_AS_PUBLICATION, OUT);
        publisher.put(message("one"), new MQPutMessageOptions());
        publish("other", "noise", 0);
        MQMessage found = take(subscription);
        Expect.equal("one", text(found));
        nothing(subscription);
        publisher.close();
    }

    public void thePropertiesTellTheTopic() throws Exception {
        MQTopic subscription = subscribe("told", SUBSCRIBE);
        publish("told", "one", 0);
        Expect.equal(root + "/told", take(subscription).getStringProperty("mqps.Top"));
    }

    public void levelsMatchByWildcards() throws Exception {
        MQTopic one = subscribe("+/price", SUBSCRIBE | MQSO_WILDCARD_TOPIC);
        MQTopic all = subscribe("#", SUBSCRIBE | MQSO_WILDCARD_TOPIC);
        publish("ibm/price", "1", 0);
        publish("ibm/extra/price", "2", 0);
        Expect.equal("1", text(take(one)));
        nothing(one);
        Expect.equal("1", text(take(all)));
        Expect.equal("2", text(take(all)));
    }

    public void charactersMatchByWildcards() throws Exception {
        MQTopic any = subscribe("a*e", SUBSCRIBE | MQSO_WILDCARD_CHAR);
        MQTopic single = subscribe("a?e", SUBSCRIBE | MQSO_WILDCARD_CHAR);
        MQTopic plain = subscribe("a%*e", SUBSCRIBE | MQSO_WILDCARD_CHAR);
        publish("abe", "1", 0);
        publish("ab/cde", "2", 0);
        publish("a*e", "3", 0);
        for (String expected : new String[] {"1", "2", "3"}) {
            Expect.equal(expected, text(take(any)));
        }
        Expect.equal("1", text(take(single)));
        Expect.equal("3", text(take(single)));
        nothing(single);
        Expect.equal("3", text(take(plain)));
        nothing(plain);
    }

    public void aRetainedPublicationIsThereLater() throws Exception {
        publish("kept", "old", MQPMO_RETAIN);
        publish("kept", "new", MQPMO_RETAIN);
        publish("kept", "passing", 0);
        MQTopic subscription = subscribe("kept", SUBSCRIBE);
        MQMessage found = take(subscription);
        Expect.equal("new", text(found));
        nothing(subscription);
        nothing(subscribe("kept", SUBSCRIBE | MQSO_NEW_PUBLICATIONS_ONLY));
    }

    public void aRetainedPublicationIsAskedFor() throws Exception {
        publish("asked", "kept", MQPMO_RETAIN);
        MQTopic subscription = subscribe("asked", SUBSCRIBE | MQSO_PUBLICATIONS_ON_REQUEST);
        nothing(subscription);
        MQSubscription reference = subscription.getSubscriptionReference();
        Expect.equal(1, reference.requestPublicationUpdate(MQSRO_FAIL_IF_QUIESCING));
        Expect.equal("kept", text(take(subscription)));
        MQTopic other = subscribe("never", SUBSCRIBE | MQSO_PUBLICATIONS_ON_REQUEST);
        MQSubscription empty = other.getSubscriptionReference();
        Expect.reason(MQRC_NO_RETAINED_MSG, () -> empty.requestPublicationUpdate(MQSRO_FAIL_IF_QUIESCING));
    }

    public void aDurableSubscriptionOutlivesItsProgram() throws Exception {
        MQTopic subscription = durable("durable", DURABLE, "outlives");
        subscription.close();
        publish("durable", "meanwhile", 0);
        MQTopic again = durable("durable", DURABLE & ~MQSO_CREATE | MQSO_RESUME, "outlives");
        Expect.equal("meanwhile", text(take(again)));
        again.getSubscriptionReference().setCloseOptions(MQCO_REMOVE_SUB);
        again.getSubscriptionReference().close();
        Expect.reason(MQRC_NO_SUBSCRIPTION, () -> durable(
                "durable", DURABLE & ~MQSO_CREATE | MQSO_RESUME, "outlives"));
    }

    public void aNameIsSubscribedOnce() throws Exception {
        MQTopic subscription = durable("named", DURABLE, "once");
        Expect.reason(MQRC_SUB_ALREADY_EXISTS, () -> durable("named", DURABLE, "once"));
        Expect.reason(MQRC_SUBSCRIPTION_IN_USE, () -> durable("named", DURABLE | MQSO_RESUME, "once"));
        subscription.getSubscriptionReference().setCloseOptions(MQCO_REMOVE_SUB);
        subscription.getSubscriptionReference().close();
    }

    public void aQueueOfItsOwnGetsThePublications() throws Exception {
        MQQueue queue = shared(manager);
        int options = MQSO_CREATE | MQSO_NON_DURABLE;
        MQTopic topic = manager.accessTopic(queue, root + "/own", "", options);
        publish("own", "news", 0);
        Expect.equal("news", text(take(queue)));
        topic.getSubscriptionReference().close();
        publish("own", "more", 0);
        nothing(queue);
    }

    public void noSubscriberWarnsWhereAskedFor() throws Exception {
        publish("nobody", "x", 0);
        Expect.reason(MQRC_NO_SUBS_MATCHED, () -> publish("nobody", "x", MQPMO_WARN_IF_NO_SUBS_MATCHED));
    }

    public void publicationsFollowTheUnitOfWork() throws Exception {
        MQTopic subscription = subscribe("unit", SUBSCRIBE);
        publish("unit", "never", MQPMO_SYNCPOINT);
        manager.backout();
        publish("unit", "in time", MQPMO_SYNCPOINT);
        nothing(subscription);
        manager.commit();
        Expect.equal("in time", text(take(subscription)));
        nothing(subscription);
    }

    public void copiesHaveIdsOfTheirOwn() throws Exception {
        MQTopic one = subscribe("copies", SUBSCRIBE);
        MQTopic two = subscribe("copies", SUBSCRIBE);
        publish("copies", "x", 0);
        MQMessage first = take(one);
        MQMessage second = take(two);
        Expect.that(!java.util.Arrays.equals(first.messageId, second.messageId), "one id for two copies");
        Expect.that(!java.util.Arrays.equals(first.correlationId, second.correlationId), "one correlation id");
    }

    public void aTopicObjectIsTheRoot() throws Exception {
        Console.mqsc("DEFINE TOPIC(CHECKS.TOPIC) TOPICSTR('" + root + "/object') REPLACE");
        MQTopic subscription = manager.accessTopic("below", "CHECKS.TOPIC", MQTOPIC_OPEN_AS_SUBSCRIPTION, SUBSCRIBE);
        publish("object/below", "x", 0);
        Expect.equal("x", text(take(subscription)));
        Console.mqsc("ALTER TOPIC(CHECKS.TOPIC) PUB(DISABLED)");
        Expect.reason(MQRC_PUT_INHIBITED, () -> publish("object/below", "x", 0));
        Console.mqsc("ALTER TOPIC(CHECKS.TOPIC) PUB(ENABLED) SUB(DISABLED)");
        Expect.reason(MQRC_SUB_INHIBITED, () -> subscribe("object/below", SUBSCRIBE));
        Console.mqsc("ALTER TOPIC(CHECKS.TOPIC) SUB(ENABLED) DURSUB(NO)");
        Expect.reason(MQRC_DURABILITY_NOT_ALLOWED, () -> durable("object/below", DURABLE, "not here"));
    }

    public void aTopicWithoutNameIs2425() throws Exception {
        Expect.reason(MQRC_TOPIC_STRING_ERROR, () -> manager.accessTopic("", "", MQTOPIC_OPEN_AS_SUBSCRIPTION, SUBSCRIBE));
    }
}
