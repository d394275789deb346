package mqbridge.checks;

import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.jms.JmsXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.Queue;
import javax.jms.XAJMSContext;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Branches of transactions that a transaction manager leads. */
public class JmsXa extends JmsProgram {
    private static int last;

    public JmsXa(Place place) {
        super(place);
    }

    private record Branch(byte[] number) implements Xid {
        static Branch next() {
            return new Branch(ByteBuffer.allocate(12).putLong(System.nanoTime()).putInt(++last).array());
        }

        @Override
        public int getFormatId() {
            return 4711;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return number.clone();
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
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

    private static int left(JMSContext context, Queue queue) {
        int count = 0;
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            while (consumer.receiveNoWait() != null) {
                count++;
            }
        }
        return count;
    }

    public void twoPhasesCommit() throws Exception {
        try (XAJMSContext xa = xa();
                JMSContext plain = context()) {
            Queue queue = plain.createTemporaryQueue();
            XAResource resource = xa.getXAResource();
            Branch branch = Branch.next();
            resource.start(branch, XAResource.TMNOFLAGS);
            xa.getContext().createProducer().send(queue, "x");
            resource.end(branch, XAResource.TMSUCCESS);
            Expect.equal(XAResource.XA_OK, resource.prepare(branch));
            Expect.equal(0, left(plain, queue));
            resource.commit(branch, false);
            Expect.equal(1, left(plain, queue));
        }
    }

    public void onePhaseCommits() throws Exception {
        try (XAJMSContext xa = xa();
                JMSContext plain = context()) {
            Queue queue = plain.createTemporaryQueue();
            XAResource resource = xa.getXAResource();
            Branch branch = Branch.next();
            resource.start(branch, XAResource.TMNOFLAGS);
            xa.getContext().createProducer().send(queue, "x");
            resource.end(branch, XAResource.TMSUCCESS);
            resource.commit(branch, true);
            Expect.equal(1, left(plain, queue));
        }
    }

    public void aBranchIsRolledBack() throws Exception {
        try (XAJMSContext xa = xa();
                JMSContext plain = context()) {
            Queue queue = plain.createTemporaryQueue();
            XAResource resource = xa.getXAResource();
            Branch branch = Branch.next();
            resource.start(branch, XAResource.TMNOFLAGS);
            xa.getContext().createProducer().send(queue, "x");
            resource.end(branch, XAResource.TMSUCCESS);
            resource.prepare(branch);
            resource.rollback(branch);
            Expect.equal(0, left(plain, queue));
        }
    }

    public void aPreparedBranchIsRecovered() throws Exception {
        Branch branch = Branch.next();
        try (JMSContext plain = context()) {
            Queue queue = plain.createQueue("DEV.QUEUE.2");
            try (XAJMSContext xa = xa()) {
                XAResource resource = xa.getXAResource();
                resource.start(branch, XAResource.TMNOFLAGS);
                xa.getContext().createProducer().send(queue, "x");
                resource.end(branch, XAResource.TMSUCCESS);
                resource.prepare(branch);
            }
            try (XAJMSContext xa = xa()) {
                XAResource resource = xa.getXAResource();
                Xid[] found = resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
                boolean there = Arrays.stream(found)
                        .anyMatch(each -> Arrays.equals(each.getGlobalTransactionId(), branch.number()));
                Expect.that(there, "the branch is not listed");
                resource.commit(branch, false);
            }
            Expect.equal(1, left(plain, queue));
        }
    }

    public void anUnknownBranchIsNota() throws Exception {
        try (XAJMSContext xa = xa()) {
            try {
                xa.getXAResource().commit(Branch.next(), false);
            } catch (XAException error) {
                Expect.equal(XAException.XAER_NOTA, error.errorCode);
                return;
            }
            throw new AssertionError("committed");
        }
    }
}
