//! A user namespace: namespaces and interfaces without privilege.

use crate::error::{Error, Result};
use std::fs;
use std::io;

/// The user that the process acts as.
pub fn id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Takes as many descriptors as the system allows this process: one a connection.
pub fn raise_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // A system that refuses leaves the number that was there.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Whether the process is root, so that it needs no user namespace.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Moves the process into a new user, network and mount namespace, where it is root. It must have one thread only, so
/// this is done first.
///
/// # Errors
/// If the system forbids user namespaces, with the setting that does; or if the process has several threads.
#[allow(unsafe_code, reason = "no safe library wraps unshare")]
pub fn enter_user_namespace() -> Result<()> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    // SAFETY: the namespaces of a process with one thread change, its memory and descriptors do not. With more
    // threads the kernel refuses.
    let code =
        unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWNS) };
    if code != 0 {
        return Err(refusal(io::Error::last_os_error()));
    }
    // A group may be mapped only once `setgroups` is given up (user_namespaces(7)).
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("0 {} 1", user.as_raw()))?;
    write("/proc/self/gid_map", &format!("0 {} 1", group.as_raw()))
}

fn write(path: &str, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|e| match e.kind() {
        io::ErrorKind::PermissionDenied => refusal(e),
        _ => Error::system(format!("writing {path}"), e),
    })
}

/// Settings that forbid user namespaces: where each is, the value that forbids, and what to do.
const SETTINGS: [(&str, &str, &str); 3] = [
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "run as root, or allow it with `sysctl kernel.unprivileged_userns_clone=1`",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "run as root, or allow it with `sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "run as root, or allow it with `sysctl user.max_user_namespaces=1000`",
    ),
];

fn refusal(source: io::Error) -> Error {
    let action = "making a user namespace".to_owned();
    match source.raw_os_error() {
        Some(libc::EPERM | libc::EACCES | libc::ENOSPC | libc::ENOSYS) => {
            let is = |path: &str, value: &str| {
                fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
            };
            let setting = SETTINGS.iter().find(|(path, value, _)| is(path, value));
            let remedy = setting.map_or("run as root", |(_, _, remedy)| *remedy);
            Error::Forbidden { action, remedy }
        }
        Some(libc::EINVAL) => {
            Error::system(format!("{action} in a process with several threads"), source)
        }
        _ => Error::system(action, source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_threads_is_refused() {
        // The harness has threads, so nothing happens to this process.
        let error = enter_user_namespace().unwrap_err().to_string();
        let known = ["several threads", "not permitted"].iter().any(|text| error.contains(text));
        assert!(known, "{error}");
    }
}
