package io.vdfs.datanode.web;

import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.common.model.NodeId;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The counters of a node as beans {@code io.vdfs:type=DataNode,node=ID,group=NAME} of this process.
 * Without JMX the node works all the same. Confined to the thread that starts and stops the node.
 */
public final class JmxBeans implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JmxBeans.class);

  private final List<ObjectName> names = new ArrayList<>();

  private JmxBeans() {}

  public static JmxBeans register(NodeId node, List<MetricGroup> groups) {
    JmxBeans beans = new JmxBeans();
    groups.forEach(group -> beans.add(node, group));
    return beans;
  }

  /** Names of the beans that are registered. */
  List<ObjectName> names() {
    return List.copyOf(names);
  }

  private void add(NodeId node, MetricGroup group) {
    try {
      ObjectName name =
          new ObjectName("io.vdfs:type=DataNode,node=" + node + ",group=" + group.name());
      ManagementFactory.getPlatformMBeanServer().registerMBean(new CounterBean(group), name);
      names.add(name);
    } catch (JMException e) {
      LOG.warn("counters are not in JMX: group={}", group.name(), e);
    }
  }

  @Override
  public void close() {
    for (ObjectName name : names) {
      try {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
      } catch (JMException e) {
        LOG.warn("bean stays registered: name={}", name, e);
      }
    }
    names.clear();
  }
}
