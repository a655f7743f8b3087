package io.vdfs.common.rpc;

import io.vdfs.common.rpc.ipc.VdfsIpc.VdfsControl;
import org.apache.hadoop.ipc.ProtocolInfo;

/** The control protocol as Hadoop IPC knows it. Public because Hadoop makes proxies of it. */
@ProtocolInfo(protocolName = "io.vdfs.VdfsControl", protocolVersion = 1)
public interface VdfsControlPB extends VdfsControl.BlockingInterface {}
