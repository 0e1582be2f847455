//! Rules for containers that were killed because of memory, exited, or could not start. `deciding_facts` reads facts of
//! the runtime that are not in the text.

use crate::{
    classify::rule::{
        AcceptedLines,
        Matcher::{Literal, Regex, Word},
        Rule, any, rule,
    },
    failure::category::Category::{ContainerCrash, ContainerOom},
};

/// A status that denies that the container was killed because of memory, for example `OOMKilled: false`.
const DENIED_MEMORY_KILL: &str =
    r#"oom_?killed\\?"?\s*[:=]\s*\\?"?(false|0|no|null)\b|oom[ _-]?kills?\\?"?\s*[:=]\s*0\b"#;

/// Spellings of the exit code of a killed process.
const EXIT_CODE_137_SPELLINGS: &[&str] = &[" 137", "=137", "(137", ":137", "\"137", "'137", "137)", "137,"];

pub(super) const MEMORY_KILL_RULES: &[Rule] = &[
    rule("oom-killed", ContainerOom, &["oomkilled", "oom_killed", "oom-killed", "oomkilling"], Literal)
    .unless(DENIED_MEMORY_KILL)
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-words",
        ContainerOom,
        &["oom killed", "oom-kill", "oom kill", "oomkill", "oom score", "killed by oom", "oom: killed"],
        Regex(r"\boom[ -]?kill(ed|er|ing)?\b|result 'oom-kill'|\bkilled by oom\b|\boom: killed\b"),
    )
    .unless(DENIED_MEMORY_KILL)
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-kernel",
        ContainerOom,
        &[
            "memory cgroup out of memory", "out of memory: kill", "invoked oom-killer", "oom-kill:constraint",
            "oom_memcg=", "oom_reaper: reaped", "oom-kill event",
        ],
        Literal,
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-runtime-event",
        ContainerOom,
        &["taskoom", "container oom", "oom event", "systemoom", "container_oom", "memory_limit_exceeded"],
        Regex(r"\b(TaskOOM|SystemOOM|container[ _]oom|oom event)\b|/tasks/oom\b"),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule("oom-topic", ContainerOom, &["/tasks/oom"], Literal)
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-ecs",
        ContainerOom,
        &["container killed due to memory usage", "outofmemoryerror: container killed"],
        Literal,
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-yarn",
        ContainerOom,
        &[
            "memory limits", "beyond physical memory", "beyond virtual memory", "physical memory used",
            "virtual memory used", "beyond the 'physical' memory limit", "beyond the 'virtual' memory limit",
            "exceeded physical memory limits",
        ],
        Regex(any!(
            r"killed by yarn for exceeding|running .{0,30}beyond (the '?)?(physical|virtual)'? memory",
            r"exceed(ed|ing|s)? .{0,30}(physical |virtual )?memory limits?",
            r"(physical|virtual) memory used.*killing container",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-limit",
        ContainerOom,
        &[
            "memory limit", "memory quota", "memory allotment", "memory usage exceed",
            "low on resource: memory", "memory allocation limit", "of memory", "memory usage ",
        ],
        Regex(any!(
            r"(exceed(ed|s|ing)?|hit|reached|over|above|used more than)\W{1,3}(the |its |your |a |available |allocated |hard |soft |private |container |pod |configured |maximum )*memory (limit|quota|allotment)",
            r"memory (limit|quota|allotment)\b.*\b(was )?(exceeded|reached|hit)|memory usage exceed",
            r"memory usage .{0,40}exceed(s|ed) (the |its )?limit|memory limit of .+exceeded|low on resource: memory",
        )),
    )
    // Excludes PHP and databases, which limit the memory of a script or a query and not of a container.
    .unless(any!(
        r"allowed memory size|query|session|per-process|work_mem|DB::Exception|(for|of) (query|statement)",
    )),
    rule(
        "oom-lambda",
        ContainerOom,
        &["signal: killed", "runtime.outofmemory", "runtime exited with error"],
        Regex(any!(
            r"runtime exited (with error: signal: killed|without providing a reason)",
            r"Runtime\.(OutOfMemory|ExitError).*signal: killed|Error Type: Runtime\.OutOfMemory",
        )),
    ),
    rule("oom-heroku", ContainerOom, &["error r14", "error r15"], Regex(r"error R1[45]\b.*memory")),
    // Exit code 137 only proves a kill, so the text must mention memory nearby.
    rule(
        "oom-exit-137",
        ContainerOom,
        EXIT_CODE_137_SPELLINGS,
        Regex(any!(
            r"(exit(ed)?|code|status|terminated|rc)\b[^\n]*\b137\b(?s:.*?)\b(oom|out of memory|memory limit|memory pressure|insufficient memory|low memory|memory usage|lack of memory|ran out of memory|cannot allocate memory|mem_limit|memory exhaust\w+|memory exceeded|exceed\w* memory|not enough memory)\b",
            r"\b(oom|out of memory|memory limit|memory pressure|insufficient memory|lack of memory|ran out of memory|mem_limit|not enough memory)\b(?s:.*?)(exit(ed)?|code|status|terminated)\b[^\n]*\b137\b",
        )),
    )
    .unless(DENIED_MEMORY_KILL)
    .match_nearby_lines()
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "oom-possible",
        ContainerOom,
        EXIT_CODE_137_SPELLINGS,
        Regex(any!(
            r"\b137\b.*\((likely |probably |possibl[ey] )?(oom|memory|sigkill, oom)",
            r"Exit status: 137\. Diagnostics: Container killed on request|killed on request\. exit code is 137",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
];

pub(super) const STATE_RULES: &[Rule] = &[
    rule(
        "container-backoff",
        ContainerCrash,
        &[
            "crashloopbackoff", "imagepullbackoff", "errimagepull", "errimageneverpull", "invalidimagename",
            "imageinspecterror", "registryunavailable",
        ],
        Word,
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-back-off",
        ContainerCrash,
        // The kubelet doubles the delay: `back-off 1m20s restarting failed container`.
        &["back-off "],
        Regex(r"\bback-off ([\dhms]+ )?(restarting|pulling image)"),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-start-failed",
        ContainerCrash,
        &[
            "runcontainererror", "createcontainererror", "containercannotrun", "starterror",
            "createpodsandboxerror", "failedcreatepodsandbox", "poststarthookerror", "failedpoststarthook",
            "prestophookerror", "cannotstartcontainererror", "cannotpullcontainererror",
            "cannotpullimagemanifesterror", "cannotcreatevolumeerror", "resourceinitializationerror",
            "essentialcontainerexited", "containerruntimeerror", "containerruntimetimeouterror",
            "cannotinspectcontainererror", "backofflimitexceeded", "taskfailedtostart",
            "containerlaunchexception", "containerfetchexception",
        ],
        Word,
    )
    // Excludes Testcontainers that stopped waiting, which is a time limit and not an exit.
    .unless(r"timed? ?out|\bunable to connect\b|ConditionTimeout")
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-oci",
        ContainerCrash,
        &[
            "oci runtime", "failed to create shim", "failed to create containerd task",
            "unable to start container process", "exec user process caused", "runc create failed",
            "runc run failed", "crun: ", "container_linux.go", "failed to start shim", "exec format error", "failed to create container", "terminated with signal",
            "error response from daemon",
            "entrypoint",
        ],
        Regex(any!(
            r"oci runtime \w+ failed|oci runtime (error|exec)|failed to create shim",
            r"failed to create containerd task|unable to start container process|exec user process caused",
            r"runc (create|run) failed|crun: .*(not found|denied|exec)",
            r"container_linux\.go:\d+: starting container|failed to start shim",
            r"failed to create container\b|\bcontainer \S+ (was )?terminated with signal|error response from daemon: (no such image|conflict\. the container name)",
            // The kernel's error for the first process of an image.
            r"^(\S+ +\| +)?exec \S+: (exec format error|no such file or directory|permission denied)$",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-failed-start",
        ContainerCrash,
        &[
            "to start container", "container failed to", "containers failed to start",
            "container startup failed", "containers could not", "container could not",
            "container fails to start", "pod failed to start", "could not start container",
            "unable to start container", "service container", "cannot start container",
            "container start failed", "starting container", "cannot start service",
            "container creation failed", "pod sandbox",
        ],
        Regex(any!(
            r"(failed|unable|error|could not|cannot|can't)( to)? (re)?(start|starting|run|launch|launching|create) (the )?(service container|container|service)s?\b",
            r"(containers?|pod)s? (failed|could not|was unable|is unable|fails?|did not|cannot) ?(to )?(be )?(start|run|launch|initiali[sz]e|become|created)",
            r"container (startup|start|creation|launch) failed|service container \S+ failed",
            r"failed to create pod sandbox",
        )),
    )
    .unless(r"timed out waiting|after waiting \d+|timeout waiting"),
    rule(
        "container-exited",
        ContainerCrash,
        &[
            "exited with", "exited (", "exit code", "exitcode", "exited unexpectedly", "exit status",
            "exited early", "exited prematurely", "has exited", "exit=",
        ],
        Regex(any!(
            r"\b(containers?|pods?|service|task|dependency|sidecar|kubelet|docker|podman|compose|replica|statefulset|deployment|job/\w+)\b.*\b(exited|terminated|stopped|died|crashed|failed|dead|restarting)\b.*?(\(|code|exit|status|=|:)\W{0,3}(code|status)?\W{0,4}[1-9]\d{0,2}\b",
            r"\bexited \([1-9]\d{0,2}\)( (\d+|about|less|a|an) .{0,20}ago)?",
            r"\b[\w.-]+[-_]\d+( +\|)? exited with code [1-9]|\bcontainer\b.*\bexit[ _]?code\W{0,4}[1-9]",
            r"^\s*[\w.-]+ exited with code [1-9]\d{0,2}\s*(\(.*\))?$",
            r"\bcontainer\b.*\bexited (unexpectedly|prematurely|early|before|immediately)",
            r"\b(aborting|stopping).*container exit|container .*has exited\b",
        )),
    )
    // Excludes a container that exited normally, and a build step inside a container.
    .unless(r"npm (err|error)|lifecycle|error: process completed")
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-died",
        ContainerCrash,
        &[
            "stopped unexpectedly", "container die", "crashed", "died unexpectedly", "terminated unexpectedly",
            "died ", "exited unexpectedly",
        ],
        Regex(any!(
            r"\b(containers?|pods?|service|sidecar|task|replica)\b.*\b((has )?crashed|stopped unexpectedly|died|(exited|terminated) unexpectedly)\b",
            r"^\S{10,40} container die\b|container (has )?crashed",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-unhealthy",
        ContainerCrash,
        &[
            "is unhealthy", "dependency failed to start", "became unhealthy", "health check failed",
            "failed container health checks", "failed elb health checks", "liveness probe failed",
            "startup probe failed", "failed to start", "didn't complete successfully",
        ],
        Regex(any!(
            r#"\b(container|service|pod|dependency|docker)\b.*\b(is|became|reported|marked) "?unhealthy"#,
            r"dependency (\S+ )?failed to start|service .* didn't complete successfully: exit",
            r"\b(liveness|startup) probe failed\b|failed liveness probe|task failed (container|elb) health checks",
            r"container .*health check failed",
        )),
    )
    // A failed probe contains its own error, so later rules must classify that error.
    .unless(r"probe failed.*(refused|deadline|timed? ?out|statuscode|no route|reset|no such host)"),
    rule(
        "container-restarting",
        ContainerCrash,
        &[
            "is restarting, wait until", "restarting (", "is not running", "container is restarting",
            "keeps restarting",
        ],
        Regex(any!(
            r"\bis restarting, wait until|\brestarting \([1-9]\d{0,2}\)",
            r"\bcontainer\b.*\b(is not running|is restarting|keeps restarting)|\bpod .*keeps restarting",
        )),
    ),
    rule(
        "container-terminated-state",
        ContainerCrash,
        &["terminated"],
        Regex(any!(
            r"state:\s+terminated\s*\n\s*reason:\s+(error|startError|containerCannotRun)",
            r#""?(reason"?\s*:\s*"?error"?),?\s*\n?.*"?terminated"?|terminated"?:\s*\{[^}]*exitCode"?:\s*[1-9]"#,
        )),
    )
    .match_nearby_lines()
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-exit-code-line",
        ContainerCrash,
        &["exit code:"],
        Regex(r"(reason|state):\s+(error|terminated)\s*\n(.*\n){0,2}\s*exit code:\s+[1-9]"),
    )
    .match_nearby_lines()
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-pod-phase",
        ContainerCrash,
        &[
            "init:error", "init:crashloopbackoff", "init:imagepullbackoff", " 0/1 ", " 0/2 ", " 0/3 ", " 1/2 ",
            " 1/3 ", " 2/3 ",
        ],
        Regex(any!(
            r"\binit:\w+(error|backoff)\b",
            r"\s\d/\d\s+(init:)?(error|crashloopbackoff|evicted|containerstatusunknown|imagepullbackoff|errimagepull|runcontainererror|createcontainererror|starterror|unknown|nodelost|outofcpu|outofpods)\b",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-pod-failed",
        ContainerCrash,
        &["pod ", "pods ", "phase=failed", "phase: failed"],
        Regex(any!(
            r#"\bpods? ["'\x60]?[\w./-]+["'\x60]?:? (has )?(failed|crashed|exited|was evicted|terminated|entered|errored|is in (the )?(error|failed))\b"#,
            r#"\bpod\b.*(phase|status)\W{1,3}"?(failed|error|crashed)\b|\bpod ran to completion"#,
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-unschedulable",
        ContainerCrash,
        &[
            "nodes are available", "failedscheduling", "failedmount", "failedattachvolume",
            "unbound immediate persistentvolumeclaims",
        ],
        Regex(any!(
            r"\d+/\d+ nodes are available|\b(FailedScheduling|FailedMount|FailedAttachVolume)\b",
            r"unbound immediate persistentvolumeclaims",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-port-taken",
        ContainerCrash,
        &[
            "port is already allocated", "driver failed programming external connectivity",
            "ports are not available",
        ],
        Literal,
    ),
    rule(
        "container-image-missing",
        ContainerCrash,
        &["failed to pull image", "manifest unknown", "pull access denied", "manifest for "],
        Regex(r"failed to pull image|manifest unknown|pull access denied for|manifest for \S+ not found"),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-signal",
        ContainerCrash,
        &[
            "exit code 139", "exited with code 139", "exit code 137", "exited with code 137", "exit code: 137",
            "exit code 143", "code=exited", "code=killed", "code=dumped",
        ],
        Regex(any!(
            r"\b(container|pod|docker|service|task)\b.*exit(ed with)? code:? 1(37|39|43)\b",
            r"main process exited, code=(killed|exited|dumped)",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-state-facts",
        ContainerCrash,
        &["exited\",", "state=exited", "status=exited", "state: exited", "status: exited", "exited', "],
        Regex(r#"\b(state|status)\\?["']?\s*[:=]\s*\\?["']?(exited|dead)\b.*\bexit_?code\\?["']?\s*[:=]\s*[1-9]"#),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    // A test process that was killed with SIGKILL, as the memory limit of a container does.
    rule(
        "container-worker-killed",
        ContainerCrash,
        &[
            "non-zero exit value 137", "terminated by another process: signal=sigkill",
            "process completed with exit code 137",
        ],
        Literal,
    ),
    rule("container-swarm", ContainerCrash, &["task: non-zero exit"], Literal),
    rule(
        "container-heroku",
        ContainerCrash,
        &["to crashed", "code=h10"],
        Regex(r"\bstate changed from \w+ to crashed\b|\bcode=H10\b"),
    )
    .accepted_lines(AcceptedLines::MessagesAndLogs),
    rule(
        "container-cloud-run",
        ContainerCrash,
        &[
            "failed to start and then listen on the port", "failed to start and listen on the port",
            "container called exit(", "container terminated on signal",
        ],
        Literal,
    ),
];
