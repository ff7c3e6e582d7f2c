import CEaselHeap

/// The settings of the C library's heap for a server.
///
/// glibc gives each thread an arena until there are eight for each processor. Every arena keeps what its busiest moment
/// took, so a server of many threads holds many times what it uses. Two arenas hold about half, at the same speed,
/// because pixels and large blocks come from the system and not from an arena.
///
/// They hold for this process alone. The processes of the sandbox are programs of their own, decode one picture each with
/// one thread, and end.
struct HeapSettings: Hashable, Sendable {
  /// The most arenas; nil where the operator has chosen.
  var arenas: Int32?
  /// The free bytes at the end of an arena from which on they go back.
  var trimThreshold: Int32?
  /// The bytes from which on a block is a mapping of its own.
  ///
  /// If nobody sets it, glibc raises it to the largest block that was ever freed, up to 32 MiB, and such blocks then leave
  /// holes in the arenas.
  var mapThreshold: Int32?

  /// The settings of the server, without those that variables of glibc set already.
  init(environment: [String: String]) {
    let tunables = environment["GLIBC_TUNABLES"] ?? ""
    func isFree(_ variable: String, _ tunable: String) -> Bool {
      environment[variable] == nil && !tunables.contains("glibc.malloc.\(tunable)=")
    }
    if isFree("MALLOC_ARENA_MAX", "arena_max") { arenas = 2 }
    if isFree("MALLOC_TRIM_THRESHOLD_", "trim_threshold") { trimThreshold = 1 << 20 }
    if isFree("MALLOC_MMAP_THRESHOLD_", "mmap_threshold") { mapThreshold = 1 << 20 }
  }

  /// Call it before threads start.
  ///
  /// Nothing changes where the C library has no such settings.
  func apply() {
    if let arenas { _ = easel_heap_bound_arenas(arenas) }
    if let trimThreshold { _ = easel_heap_set_trim_threshold(trimThreshold) }
    if let mapThreshold { _ = easel_heap_set_map_threshold(mapThreshold) }
  }
}
