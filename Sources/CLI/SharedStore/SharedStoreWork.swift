import Easel

/// The work of `easel cache` on a shared store.
struct SharedStoreWork {
  private let address: SharedAddress
  private let store: any SharedStore

  init(_ address: SharedAddress) throws(UsageError) {
    self.address = address
    store = try SharedOptions.layer([address])!.store
  }

  /// Reports if the store answers, and how much it holds if its engine can tell.
  func stat(_ report: Report) {
    let clock = SystemClock()
    finish(report) { [store] in
      let start = clock.uptime
      _ = try await store.contains(CacheKey(original: "easel:stat"))
      let time = clock.uptime - start
      return (time, try await store.count(), try await store.totalSize())
    } success: { time, entries, bytes in
      report.success(
        [
          "input": .string(address.shown), "entries": .optional(entries), "bytes": .optional(bytes),
          "answerMs": .milliseconds(time),
        ],
        "\(address.shown): answers in \(Quantity.duration(time)), "
          + "\(entries.map(String.init) ?? "unknown number of") entries, "
          + (bytes.map { Quantity.bytes($0) } ?? "unknown number of bytes"))
    }
  }

  /// Removes everything from the store, for all machines.
  func clear(_ report: Report) {
    finish(report) { [store] in
      try await store.removeAll()
    } success: {
      report.success(
        ["input": .string(address.shown), "removed": .null],
        "\(address.shown): everything removed, for all machines")
    }
  }

  private func finish<Value: Sendable>(
    _ report: Report, _ work: @escaping @Sendable () async throws -> Value, success: (Value) -> Void
  ) {
    let result = waitFor { () async -> Result<Value, any Error> in
      do { return .success(try await work()) } catch { return .failure(error) }
    }
    switch result {
    case .success(let value): success(value)
    case .failure(let error): report.failure(of: address.shown, error)
    }
  }
}
