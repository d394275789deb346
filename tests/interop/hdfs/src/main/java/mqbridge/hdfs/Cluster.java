package mqbridge.hdfs;

import java.io.File;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** A name node and a data node on loopback: {@code Cluster FOLDER FILE...}; ends when its standard input does. */
public final class Cluster {
    private Cluster() {}

    /** Keeps its blocks in FOLDER, copies the files to {@code /captures}, prints its URL. */
    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("dfs.namenode.http-address", "localhost:0");
        try (MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration, new File(arguments[0])).numDataNodes(1).build()) {
            cluster.waitActive();
            Path captures = new Path("/captures");
            cluster.getFileSystem().mkdirs(captures);
            for (int number = 1; number < arguments.length; number++) {
                cluster.getFileSystem().copyFromLocalFile(new Path(new File(arguments[number]).toURI()), captures);
            }
            System.out.println(cluster.getURI());
            while (System.in.read() >= 0) {
                // until whoever started it closes
            }
        }
    }
}
