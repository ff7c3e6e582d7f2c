import EaselCore

extension ImageService {
  /// Runs the work of a request, and cancels it when its time is over.
  func withDeadline(
    _ work: @escaping @Sendable () async throws(ServiceError) -> ServiceResponse
  ) async throws(ServiceError) -> ServiceResponse {
    let outcome = await withTaskGroup(of: Result<ServiceResponse, ServiceError>?.self) { group in
      group.addTask {
        do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
      }
      group.addTask { [clock, time = settings.values.requestTime] in
        try? await clock.sleep(for: time)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    guard let outcome else {
      if Task.isCancelled { throw ServiceError(499, "The client left.") }
      throw ServiceError(
        503, "The request was not done within \(settings.values.requestTime); try again later.", retryAfter: 1)
    }
    return try outcome.get()
  }
}
