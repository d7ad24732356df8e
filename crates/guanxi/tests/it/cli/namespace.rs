//! A mount namespace of its own for a test that mounts: no other process sees its mounts, and they are gone with it.

use std::process::Command;

/// Tells the inner run from the outer one.
const INSIDE: &str = "GUANXI_TEST_NAMESPACE";

/// Runs `body` in a mount namespace: the test runs itself again there. As root that takes nothing; otherwise the
/// system must allow user namespaces. Fails, and never skips, where neither is possible.
pub(crate) fn with_mounts(test: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let binary = std::env::current_exe().expect("a test has a file");
    let ways = [&["-m"][..], &["-U", "-r", "-m"]];
    let works = |flags: &&[&str]| {
        let probe =
            Command::new("unshare").args(*flags).args(["mount", "-t", "tmpfs", "none", "/mnt"]).output();
        probe.is_ok_and(|output| output.status.success())
    };
    let flags = ways.iter().find(|flags| works(flags));
    let flags = flags.expect("this test mounts: run it as root, or where `unshare -Urm` is allowed");
    let mut again = Command::new("unshare");
    again.args(*flags).arg(binary).args(["--exact", test, "--nocapture"]).env(INSIDE, "1");
    let output = again.output().expect("unshare is there");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 passed"), "the test did not run inside: {printed}");
}

/// Mounts with these arguments.
pub(crate) fn mount(args: &[&str]) {
    let status = Command::new("mount").args(args).status().expect("mount is there");
    assert!(status.success(), "mount {args:?}");
}
