package io.vdfs.it.once;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.NodeDraws;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ContainerProcess;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.settings.InputKeys;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.v2.app.speculate.LegacyTaskRuntimeEstimator;

/**
 * What may happen while a job runs. Each fault strikes in the middle of the work and returns the
 * trace that it must leave when the job is over; a fault that did not happen fails the run.
 */
enum Fault {
  KILL_ATTEMPT {
    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      ContainerProcess map = job.awaitMap();
      map.kill();
      job.assertBusy();
      return lost(map.attempt());
    }
  },

  KILL_CONTAINER {
    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      ContainerProcess map = job.awaitMap();
      map.killContainer();
      job.assertBusy();
      return lost(map.attempt());
    }
  },

  /** The scheduler takes a container back, as for another queue. */
  PREEMPT {
    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      ContainerProcess map = job.awaitMap();
      job.cluster().yarn().preempt(map.id());
      job.assertBusy();
      return finished -> {
        lost(map.attempt()).check(finished);
        String why = String.join(" ", finished.job().getTaskDiagnostics(map.attempt()));
        assertTrue(why.contains("preempted"), map.attempt() + ": " + why);
      };
    }
  },

  /** Other nodes' tasks must draw the blocks that were left in the node's pool when it died. */
  KILL_DATA_NODE {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      // for ten seconds tasks on its host still draw in its name, so let them draw slowly
      return Map.of(OnceJob.REST_MILLIS, "192");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      long pid = job.cluster().dataNodes().kill(run.node());
      assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
      NodeDraws dead = status(job, run.node());
      assertTrue(dead.remainingBlocks() > 0, dead.toString());
      return finished -> {
        job.cluster().dataNodes().restart(run.node());
        NodeDraws drained = status(finished, run.node());
        assertTrue(drained.lostBlocks() > dead.lostBlocks(), drained + " after " + dead);
      };
    }
  },

  /** Every grant is an entry of the leader's log: another leader makes the next ones. */
  KILL_LEDGER_LEADER {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      // enough work to be left when another node leads
      return Map.of(OnceJob.REST_MILLIS, "96");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      int dead = job.cluster().ledgerLeader();
      long pid = job.cluster().dataNodes().kill(dead);
      assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
      assertNotEquals(dead, job.cluster().ledgerLeader());
      long left = job.stream().remainingBlocks();
      assertTrue(left > 0, "the work was over before another node led");
      Await.until(
          "grants by the new leader",
          RunningOnce.LIMIT,
          () -> job.stream().remainingBlocks() < left);
      return finished -> job.cluster().dataNodes().restart(dead);
    }
  },

  KILL_MASTER {
    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      job.awaitMaster().kill();
      job.assertBusy();
      return Fault::assertSecondMaster;
    }
  },

  KILL_MASTER_WITHOUT_RECOVERY {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      return Map.of("yarn.app.mapreduce.am.job.recovery.enable", "false");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      return KILL_MASTER.strike(job, run);
    }
  },

  /**
   * Strikes when a task has finished: its output must outlive the ApplicationMaster, as the next
   * one recovers the task, or runs it again if the committer can't be recovered.
   */
  TERMINATE_MASTER {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      // tasks that end one after the other
      return Map.of(InputKeys.TASK_BYTES, "1m");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      Await.until("a finished map", RunningOnce.LIMIT, () -> !job.finishedMaps().isEmpty());
      Set<TaskAttemptID> early =
          job.finishedMaps().stream()
              .map(TaskCompletionEvent::getTaskAttemptId)
              .collect(Collectors.toSet());
      job.awaitMaster().terminate();
      job.assertBusy();
      return finished -> {
        assertSecondMaster(finished);
        Set<TaskAttemptID> counted =
            finished.finishedMaps().stream()
                .map(TaskCompletionEvent::getTaskAttemptId)
                .collect(Collectors.toSet());
        if (run.committer().recovers()) {
          assertTrue(counted.containsAll(early), "recovered " + counted + ", not all of " + early);
        } else {
          assertTrue(Collections.disjoint(counted, early), "kept " + counted + ", had " + early);
        }
      };
    }
  },

  KILL_MASTER_THAT_RUNS_THE_TASKS {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      // its maps run one after the other
      return Map.of("mapreduce.job.ubertask.enable", "true", OnceJob.REST_MILLIS, "3");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      job.awaitMaster().kill();
      job.assertBusy();
      return finished -> {
        assertTrue(finished.job().isUber());
        assertSecondMaster(finished);
      };
    }
  },

  LOSE_NODE_MANAGER {
    @Override
    boolean needsReducer() {
      return true;
    }

    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      return Map.of(OnceJob.REDUCE_GATE, gate.toString());
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      Await.until("all maps", RunningOnce.LIMIT, () -> job.finishedMaps().size() == job.maps());
      String master = job.cluster().yarn().applicationMasterHost(job.application());
      String host =
          job.finishedMaps().stream()
              .map(RunningOnce::host)
              .filter(candidate -> !candidate.equals(master))
              .findFirst()
              .orElseThrow();
      Set<Integer> tasks =
          job.finishedMaps().stream()
              .filter(event -> RunningOnce.host(event).equals(host))
              .map(RunningOnce::task)
              .collect(Collectors.toSet());
      job.cluster().yarn().stopNodeManager(host);
      Await.until("the lost maps to run again", RunningOnce.LIMIT, () -> ranAgain(job, tasks));
      OnceJob.release(job.cluster().localDirectory("gate" + job.output().getName()));
      return finished -> {
        job.cluster().yarn().startNodeManager(host);
        assertTrue(ranAgain(finished, tasks), finished.mapEvents().toString());
      };
    }
  },

  EXPIRE_SESSION {
    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      DaemonProcesses dataNodes = job.cluster().dataNodes();
      long ended = dataNodes.expireSession(run.node());
      job.assertBusy();
      OptionalLong begun =
          Await.value(
              "another session of node " + run.node(),
              RunningOnce.LIMIT,
              () -> {
                OptionalLong now = dataNodes.session(run.node());
                return now.isPresent() && now.getAsLong() != ended
                    ? Optional.of(now)
                    : Optional.empty();
              });
      assertNotEquals(ended, begun.getAsLong());
      return finished -> dataNodes.awaitServing();
    }
  },

  /**
   * Suspends a node in mid-steal: its DataNode and the JVMs of all its containers. Not the
   * NodeManager, which is no process of its own here.
   */
  FREEZE_THIEF {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      // stealing begins late in the job, and much is to be done before it ends
      return Map.of(OnceJob.REST_MILLIS, "24");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      DaemonProcesses dataNodes = job.cluster().dataNodes();
      StealWatch watch = new StealWatch(job);
      int thief = Await.value("a node whose tasks steal", RunningOnce.LIMIT, watch::look);
      List<ContainerProcess> containers = ContainerProcess.on(dataNodes.host(thief));
      Set<ContainerProcess> maps = Set.copyOf(job.runningMaps());
      assertTrue(containers.stream().anyMatch(maps::contains), containers + " of " + maps);
      for (ContainerProcess container : containers) {
        container.freeze();
      }
      dataNodes.freeze(thief);
      job.assertBusy();
      Await.until(
          "ZooKeeper to give up node " + thief,
          RunningOnce.LIMIT,
          () -> dataNodes.session(thief).isEmpty());
      dataNodes.thaw(thief);
      for (ContainerProcess container : containers) {
        container.thaw();
      }
      return finished -> dataNodes.awaitServing();
    }
  },

  /**
   * Suspends an attempt until a speculative one has got further in the list of their task, and then
   * lets both go on.
   */
  RACE_ATTEMPTS {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      return Map.of(
          MRJobConfig.MAP_SPECULATIVE,
          "true",
          MRJobConfig.MR_AM_TASK_ESTIMATOR,
          LegacyTaskRuntimeEstimator.class.getName(),
          MRJobConfig.SPECULATIVE_RETRY_AFTER_SPECULATE,
          "1000",
          // a quarter of the input: when all others have theirs, some is left for the two
          InputKeys.TASK_BYTES,
          "5600000",
          OnceJob.REST_MILLIS,
          "24");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      ContainerProcess first = Await.value("a task that draws", RunningOnce.LIMIT, job::lastToDraw);
      first.freeze();
      TaskID task = first.attempt().getTaskID();
      Await.until(
          "a second attempt of " + task,
          RunningOnce.LIMIT,
          () -> attempts(job.runningMaps(), task).size() == 2);
      int runs = job.runs(task);
      Await.until(
          "the second attempt to go further", RunningOnce.LIMIT, () -> job.runs(task) > runs);
      assertEquals(2, attempts(job.runningMaps(), task).size());
      first.thaw();
      job.assertBusy();
      return finished ->
          Await.until(
              "two attempts, of which one succeeded, of " + task,
              RunningOnce.LIMIT,
              () -> oneOfTwoSucceeded(finished, task));
    }
  },

  /**
   * Another job arrives when there is room only for its ApplicationMaster. Tasks yield to it, and
   * an attempt of another task is killed.
   */
  ARRIVE_LATE {
    @Override
    Map<String, String> options(java.nio.file.Path gate) {
      return Map.of(
          InputKeys.YIELDING, "true", InputKeys.YIELD_AFTER, "1s", OnceJob.REST_MILLIS, "128");
    }

    @Override
    Trace strike(RunningOnce job, OnceRun run) throws Exception {
      job.awaitMiddle();
      Map<String, String> options = Map.of(OnceJob.REST_MILLIS, "0");
      RunningOnce late = job.cluster().submit(run.name() + "late", 0, options, false);
      Await.until("a task that yields", RunningOnce.LIMIT, () -> yielded(job) > 0);
      ContainerProcess map =
          Await.value("a map that goes on", RunningOnce.LIMIT, () -> notYielded(job));
      map.kill();
      Await.until(
          "the late job to draw",
          RunningOnce.LIMIT,
          () -> late.stream().tasks().stream().anyMatch(task -> task.runs() > 0));
      job.assertBusy();
      return finished -> {
        late.awaitSuccess();
        late.cluster().assertExact(late.output());
        lost(map.attempt()).check(finished);
        long counted =
            finished.job().getCounters().findCounter(StreamCounter.YIELDED_TASKS).getValue();
        assertEquals(yielded(finished), counted);
      };
    }
  };

  /** The trace that a fault must leave when the job is over; also repairs what was broken. */
  @FunctionalInterface
  interface Trace {
    void check(RunningOnce finished) throws Exception;
  }

  /** Strikes a job that was just submitted. */
  abstract Trace strike(RunningOnce job, OnceRun run) throws Exception;

  /** Whether it can only happen to a job with a reducer. */
  boolean needsReducer() {
    return false;
  }

  /**
   * Job properties it needs.
   *
   * @param gate directory for the reducers to wait at
   */
  Map<String, String> options(java.nio.file.Path gate) {
    return Map.of();
  }

  private static Trace lost(TaskAttemptID attempt) {
    return finished -> {
      TaskCompletionEvent event =
          finished.mapEvents().stream()
              .filter(candidate -> candidate.getTaskAttemptId().equals(attempt))
              .findFirst()
              .orElseThrow(() -> new AssertionError(attempt + " left no trace"));
      assertNotEquals(Status.SUCCEEDED, event.getStatus(), attempt.toString());
    };
  }

  private static void assertSecondMaster(RunningOnce finished) throws Exception {
    assertEquals(2, finished.cluster().yarn().applicationMasters(finished.application()));
  }

  private static boolean ranAgain(RunningOnce job, Set<Integer> tasks) throws Exception {
    return job.finishedMaps().stream()
        .filter(event -> event.getTaskAttemptId().getId() > 0)
        .map(RunningOnce::task)
        .collect(Collectors.toSet())
        .containsAll(tasks);
  }

  private static List<TaskAttemptID> attempts(List<ContainerProcess> maps, TaskID task) {
    return maps.stream()
        .map(ContainerProcess::attempt)
        .filter(attempt -> attempt.getTaskID().equals(task))
        .toList();
  }

  private static boolean oneOfTwoSucceeded(RunningOnce job, TaskID task) throws Exception {
    List<Status> ends =
        job.mapEvents().stream()
            .filter(event -> event.getTaskAttemptId().getTaskID().equals(task))
            .map(TaskCompletionEvent::getStatus)
            .toList();
    return ends.size() == 2 && Collections.frequency(ends, Status.SUCCEEDED) == 1;
  }

  private static long yielded(RunningOnce job) throws Exception {
    return job.stream().tasks().stream().filter(TaskDraws::yielded).count();
  }

  private static Optional<ContainerProcess> notYielded(RunningOnce job) throws Exception {
    List<TaskDraws> tasks = job.stream().tasks();
    return job.runningMaps().stream()
        .filter(map -> !tasks.get(map.attempt().getTaskID().getId()).yielded())
        .findFirst();
  }

  private static NodeDraws status(RunningOnce job, int node) throws Exception {
    return job.cluster().status(job.stream(), node);
  }
}
