package io.vdfs.datanode.web;

import io.vdfs.common.metrics.Metric;
import io.vdfs.common.metrics.MetricGroup;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;

/** A group of counters as read-only attributes of a bean. Thread-safe. */
final class CounterBean implements DynamicMBean {
  private final MetricGroup group;

  CounterBean(MetricGroup group) {
    this.group = group;
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    for (Metric metric : group.read()) {
      if (metric.key().equals(attribute)) {
        return metric.value();
      }
    }
    throw new AttributeNotFoundException("no such counter: name=" + attribute);
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    AttributeList found = new AttributeList();
    for (Metric metric : group.read()) {
      for (String wanted : attributes) {
        if (metric.key().equals(wanted)) {
          found.add(new Attribute(wanted, metric.value()));
        }
      }
    }
    return found;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException("counters are read-only: name=" + attribute.getName());
  }

  /** Sets none: counters are read-only. */
  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public Object invoke(String action, Object[] arguments, String[] signature) {
    throw new UnsupportedOperationException("counters have no operations: name=" + action);
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] attributes =
        group.read().stream()
            .map(
                metric ->
                    new MBeanAttributeInfo(
                        metric.key(), "long", metric.label(), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(
        CounterBean.class.getName(), "counters of " + group.name(), attributes, null, null, null);
  }
}
