import Glibc

/// The number of files and connections that the process may have open.
enum DescriptorLimit {
  /// Raises it as far as the process may; returns it.
  @discardableResult
  static func raise() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return .max }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = raised.rlim_max
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The present limit.
  static var present: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// The transfers from sources that leave enough for all else.
  static func transfers(wanted: Int) -> Int { min(wanted, max(4, present / 8)) }

  /// The warning about too few descriptors for the connections that may be open; nil if there are enough.
  static func warning(connections: Int, wanted: Int) -> String? {
    guard connections < wanted else { return nil }
    return
      "This process may have only \(present) files open (ulimit -n), so that \(connections) connections may be open at a "
      + "time, and not \(wanted). Raise the limit, in a service of systemd with LimitNOFILE, or lower connections."
  }
}
