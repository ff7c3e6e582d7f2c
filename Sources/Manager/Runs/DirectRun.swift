import EaselCore

/// Runs a `DirectEncoding` on a worker thread for the one caller who waits for it.
struct DirectRun: ManagerRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let encoding: DirectEncoding
  let shared: SharedRun

  func make() async throws -> EncodedPicture {
    let work = newWork()
    let clock = manager.configuration.clock
    return try await onWorker(.encoder, work) { [encoding, essence] in
      let encoded = try encoding.make(work: work, clock: clock) { essence.report($0) }
      return try encoding.picture(of: encoded, clock: clock)
    }
  }
}
