package mqbridge.checks;

import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.jms.JmsXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.Queue;
import javax.jms.XAJMSContext;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A small transaction manager with two resources, whose log is in memory. */
public class JmsXaManager extends JmsProgram {
    private static int last;

    private final JMSContext plain = context();
    private final Queue orders = defined("ORDERS");
    private final Queue shipments = defined("SHIPMENTS");

    public JmsXaManager(Place place) throws Exception {
        super(place);
    }

    private Queue defined(String kind) throws IOException {
        String name = "XA." + kind + "." + System.nanoTime();
        Console.mqsc("DEFINE QLOCAL(" + name + ")");
        return plain.createQueue(name);
    }

    @Override
    void end() {
        try {
            plain.close();
        } catch (JMSRuntimeException killed) {
            // One of the checks has the queue manager killed.
        }
    }

    /** A branch of a global transaction. */
    private record Branch(byte[] global, byte number) implements Xid {
        @Override
        public int getFormatId() {
            return 815;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global.clone();
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {number};
        }

        boolean is(Xid other) {
            return Arrays.equals(global, other.getGlobalTransactionId())
                    && Arrays.equals(getBranchQualifier(), other.getBranchQualifier());
        }
    }

    /** A global transaction over several resources. */
    private static final class Transaction {
        private final byte[] global = ByteBuffer.allocate(12).putLong(System.nanoTime()).putInt(++last).array();
        private final List<XAResource> resources = new ArrayList<>();
        final List<Branch> branches = new ArrayList<>();
        private final List<Integer> votes = new ArrayList<>();

        void enlist(XAResource resource) throws XAException {
            Branch branch = new Branch(global, (byte) branches.size());
            resource.start(branch, XAResource.TMNOFLAGS);
            resources.add(resource);
            branches.add(branch);
        }

        void prepare() throws XAException {
            for (int index = 0; index < resources.size(); index++) {
                resources.get(index).end(branches.get(index), XAResource.TMSUCCESS);
            }
            for (int index = 0; index < resources.size(); index++) {
                votes.add(resources.get(index).prepare(branches.get(index)));
            }
        }

        void commit() throws XAException {
            prepare();
            for (int index = 0; index < resources.size(); index++) {
                if (votes.get(index) == XAResource.XA_OK) {
                    resources.get(index).commit(branches.get(index), false);
                }
            }
        }

        void rollback() throws XAException {
            for (int index = 0; index < resources.size(); index++) {
                resources.get(index).end(branches.get(index), XAResource.TMFAIL);
                resources.get(index).rollback(branches.get(index));
            }
        }
    }

    private XAJMSContext xa() throws JMSException {
        JmsXAConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createXAConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, place.host());
        factory.setIntProperty(WMQConstants.WMQ_PORT, place.port());
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, place.channel());
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, place.queueManager());
        return factory.createXAContext();
    }

    private int left(Queue queue) {
        int count = 0;
        try (JMSConsumer consumer = plain.createConsumer(queue)) {
            while (consumer.receiveNoWait() != null) {
                count++;
            }
        }
        return count;
    }

    private static void ship(XAJMSContext from, XAJMSContext to, Queue orders, Queue shipments) throws JMSException {
        String order = text(receive(from.getContext(), orders));
        to.getContext().createProducer().send(shipments, "shipped " + order);
    }

    public void twoResourcesCommitTogether() throws Exception {
        plain.createProducer().send(orders, "screws");
        try (XAJMSContext one = xa();
                XAJMSContext two = xa()) {
            Transaction transaction = new Transaction();
            transaction.enlist(one.getXAResource());
            transaction.enlist(two.getXAResource());
            ship(one, two, orders, shipments);
            Expect.equal(0, left(shipments));
            transaction.commit();
            Expect.equal(List.of(XAResource.XA_OK, XAResource.XA_OK), transaction.votes);
        }
        Expect.equal(0, left(orders));
        Expect.equal("shipped screws", text(receive(plain, shipments)));
    }

    public void twoResourcesRollBackTogether() throws Exception {
        plain.createProducer().send(orders, "screws");
        try (XAJMSContext one = xa();
                XAJMSContext two = xa()) {
            Transaction transaction = new Transaction();
            transaction.enlist(one.getXAResource());
            transaction.enlist(two.getXAResource());
            ship(one, two, orders, shipments);
            transaction.rollback();
        }
        Expect.equal("screws", text(receive(plain, orders)));
        Expect.equal(0, left(shipments));
    }

    public void aResourceThatOnlyReadIsDoneEarly() throws Exception {
        try (XAJMSContext one = xa();
                XAJMSContext two = xa()) {
            Transaction transaction = new Transaction();
            transaction.enlist(one.getXAResource());
            transaction.enlist(two.getXAResource());
            two.getContext().createProducer().send(shipments, "x");
            transaction.commit();
            Expect.equal(List.of(XAResource.XA_RDONLY, XAResource.XA_OK), transaction.votes);
        }
        Expect.equal(1, left(shipments));
    }

    public void aBranchIsSuspendedAndResumed() throws Exception {
        try (XAJMSContext one = xa()) {
            XAResource resource = one.getXAResource();
            Transaction transaction = new Transaction();
            transaction.enlist(resource);
            one.getContext().createProducer().send(shipments, "one");
            Branch branch = transaction.branches.get(0);
            resource.end(branch, XAResource.TMSUSPEND);
            resource.start(branch, XAResource.TMRESUME);
            one.getContext().createProducer().send(shipments, "two");
            transaction.commit();
        }
        Expect.equal(2, left(shipments));
    }

    public void aSessionDoesOneTransactionAfterTheOther() throws Exception {
        try (XAJMSContext one = xa()) {
            for (int number = 0; number < 5; number++) {
                Transaction transaction = new Transaction();
                transaction.enlist(one.getXAResource());
                one.getContext().createProducer().send(shipments, "message " + number);
                if (number % 2 == 0) {
                    transaction.commit();
                } else {
                    transaction.rollback();
                }
            }
        }
        Expect.equal(3, left(shipments));
    }

    public void anInterruptedCommitIsRecoveredAfterAKill() throws Exception {
        Transaction transaction = new Transaction();
        XAJMSContext one = xa();
        XAJMSContext two = xa();
        transaction.enlist(one.getXAResource());
        transaction.enlist(two.getXAResource());
        one.getContext().createProducer().send(shipments, "from one");
        two.getContext().createProducer().send(shipments, "from two");
        transaction.prepare();
        one.getXAResource().commit(transaction.branches.get(0), false);
        Console.ask("kill");
        try (XAJMSContext again = xa();
                JMSContext context = context()) {
            XAResource resource = again.getXAResource();
            Xid[] found = resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
            Branch first = transaction.branches.get(0);
            Branch second = transaction.branches.get(1);
            Expect.that(Arrays.stream(found).noneMatch(first::is), "the committed branch is listed");
            Expect.that(Arrays.stream(found).anyMatch(second::is), "the prepared branch is not listed");
            Expect.equal("from one", text(receive(context, shipments)));
            resource.commit(second, false);
            Expect.equal("from two", text(receive(context, shipments)));
        }
    }

    public void whatAnotherHasInDoubtIsHidden() throws Exception {
        plain.createProducer().send(orders, "screws");
        try (XAJMSContext one = xa()) {
            Transaction transaction = new Transaction();
            transaction.enlist(one.getXAResource());
            receive(one.getContext(), orders);
            transaction.prepare();
            Expect.equal(0, left(orders));
            one.getXAResource().rollback(transaction.branches.get(0));
            Expect.equal(1, left(orders));
        }
    }

    public void aBranchIsStartedOnce() throws Exception {
        try (XAJMSContext one = xa();
                XAJMSContext two = xa()) {
            Transaction transaction = new Transaction();
            transaction.enlist(one.getXAResource());
            one.getContext().createProducer().send(shipments, "x");
            try {
                two.getXAResource().start(transaction.branches.get(0), XAResource.TMNOFLAGS);
                throw new AssertionError("started twice");
            } catch (XAException error) {
                Expect.equal(XAException.XAER_DUPID, error.errorCode);
            }
            transaction.rollback();
        }
    }
}
