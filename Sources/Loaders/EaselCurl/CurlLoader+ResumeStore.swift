import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc
import Synchronization

extension CurlLoader {
  /// Keeps the beginnings of bodies whose transfer was cut, so that the next load can continue from there.
  ///
  /// The store limits its size and the age of bodies. A partial body is never used as if it were a whole picture.
  public final class ResumeStore: Sendable {
    private struct Entry {
      let partial: PartialBody
      let expiry: Duration
      let age: UInt64
    }

    private struct State {
      var entries: [CacheKey: Entry] = [:]
      var byteCount = 0
      var lastAge: UInt64 = 0

      mutating func remove(_ key: CacheKey) -> PartialBody? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        byteCount -= entry.partial.bytes.count
        return entry.partial
      }

      mutating func removeOldest() {
        guard let oldest = entries.min(by: { $0.value.age < $1.value.age })?.key else { return }
        _ = remove(oldest)
      }
    }

    private let state = Locked(State())
    /// Read without the lock, because otherwise all loads would wait for it.
    private let mayHaveEntries = Atomic(false)
    private let memoryLimit: Int
    private let minimumBytes: Int
    private let lifetime: Duration
    private let clock: any ImageClock
    private let files: PartialFiles?

    /// Creates a store with limits for the memory, the directory and the age of bodies.
    ///
    /// - Parameters:
    ///   - memoryLimit: the most bytes in memory; it applies only to bodies that do not go to the directory.
    ///   - directory: the directory for bodies that should outlive the process; nil for none.
    ///   - directoryLimit: the most bytes in the directory.
    ///   - lifetime: the time for which a body is kept.
    ///   - minimumBytes: the smallest body that is worth keeping.
    ///   - clock: the clock that decides when a body expires.
    public init(
      memoryLimit: Int = 16 << 20, directory: String? = nil, directoryLimit: Int = 256 << 20,
      lifetime: Duration = .seconds(3600), minimumBytes: Int = 16 << 10, clock: any ImageClock = SystemClock()
    ) {
      self.memoryLimit = memoryLimit
      self.minimumBytes = minimumBytes
      self.lifetime = lifetime
      self.clock = clock
      files = directory.map { PartialFiles(directory: $0, limit: directoryLimit, lifetime: lifetime, clock: clock) }
    }

    /// The number of bodies in memory.
    public var count: Int {
      state.withLock { state in
        expire(&state)
        return state.entries.count
      }
    }

    /// The bytes of the bodies in memory.
    public var byteCount: Int {
      state.withLock { state in
        expire(&state)
        return state.byteCount
      }
    }

    /// Removes all bodies, including those in the directory.
    public func removeAll() async {
      state.withLock { state in
        state = State()
        noteEntries(of: state)
      }
      await files?.removeAll()
    }

    /// Waits until all bodies for the directory are written.
    package func waitForFiles() async { await files?.waitForWrites() }

    /// Keeps a body.
    func put(_ partial: PartialBody, for key: CacheKey) {
      guard partial.bytes.count >= minimumBytes else { return }
      if let files, key.isStorable { return files.write(partial, for: key) }
      guard partial.bytes.count <= memoryLimit else { return }
      state.withLock { state in
        expire(&state)
        _ = state.remove(key)
        state.lastAge += 1
        state.entries[key] = Entry(partial: partial, expiry: clock.uptime + lifetime, age: state.lastAge)
        state.byteCount += partial.bytes.count
        while state.byteCount > memoryLimit { state.removeOldest() }
        noteEntries(of: state)
      }
    }

    /// False when the store certainly has nothing for a key, as is usual.
    func mayHold(_ key: CacheKey) -> Bool {
      mayHaveEntries.load(ordering: .acquiring) || files != nil && key.isStorable
    }

    /// Removes and returns a body, because two loads must not both continue it.
    func take(_ key: CacheKey) async -> PartialBody? {
      let kept = state.withLock { state -> PartialBody? in
        guard !state.entries.isEmpty else { return nil }
        expire(&state)
        defer { noteEntries(of: state) }
        return state.remove(key)
      }
      if kept != nil { return kept }
      guard let files, key.isStorable else { return nil }
      return await files.take(key)
    }

    /// Updates the flag; call this under the lock after every change of the entries.
    private func noteEntries(of state: State) { mayHaveEntries.store(!state.entries.isEmpty, ordering: .releasing) }

    private func expire(_ state: inout State) {
      guard !state.entries.isEmpty else { return }
      let now = clock.uptime
      for (key, entry) in state.entries where entry.expiry <= now { _ = state.remove(key) }
    }
  }
}
