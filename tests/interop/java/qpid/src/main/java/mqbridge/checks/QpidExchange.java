package mqbridge.checks;

import javax.jms.JMSContext;

/** A {@link Conversation} with Qpid JMS. Arguments: URL, user, password; destinations as {@link Qpid} has them. */
final class QpidExchange {
    private QpidExchange() {}

    public static void main(String[] arguments) throws Exception {
        try (JMSContext context = Qpid.context(arguments)) {
            new Conversation(context, text -> Qpid.destination(context, text)).serve();
        }
    }
}
