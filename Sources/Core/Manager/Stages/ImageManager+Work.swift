/// Handing work to worker threads.
extension ImageManager {
  /// The number of worker threads that plug-ins have not returned from in the time they had, and still hold.
  ///
  /// Each was replaced, so that other loads go on. A number that stays above zero means that a coder, a transformer or a
  /// serializer hangs; the observer of the load was told which. Managers of one process share their threads, and so this
  /// number.
  public var lostThreadCount: Int { configuration.workers.lostCount }

  /// Runs a call of a plug-in on a worker thread, and waits for it no longer than `work` allows.
  ///
  /// The work is told when nobody wants its result any more.
  func onWorker<Value: Sendable>(
    _ call: PluginCall, _ work: WorkContext, _ request: ResolvedRequest, in run: SharedRun,
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let value = try await configuration.workers.run(at: run.priority, terms(of: call, work, request, in: run), body)
    try Task.checkCancellation()
    return value
  }

  /// The terms of such a call; observers hear of one that does not return.
  func terms(of call: PluginCall, _ work: WorkContext, _ request: ResolvedRequest, in run: SharedRun) -> JobTerms {
    JobTerms(work.time) {
      let failure = call.failure(of: work, subject: request.subject)
      run.report(.threadLost(failure))
      return failure
    }
  }

  /// The context of work for a run; `response` is the head that came before the bytes.
  func work(for request: ResolvedRequest, in run: SharedRun, response: ResponseHead? = nil) -> WorkContext {
    var work = WorkContext(
      limits: request.limits, context: request.context, cancellation: run.cancellation, clock: configuration.clock)
    work.url = request.hasBytesAtHand ? nil : request.url
    work.response = response
    return work
  }
}
