import EaselCore

/// The state of a load after the part that needs no waiting.
enum Beginning: Sendable {
  /// Memory had everything that the caller wants.
  case answered(FoundInMemory, ResolvedRequest)
  /// Memory had the picture, but something must be added to it.
  case found(Product, ResolvedRequest, RunningLoads.Slot)
  /// The load waits for a run.
  case seated(Seat, ResolvedRequest, RunningLoads.Slot)
  /// The load has failed.
  case failed(ImageError)

  /// True when memory had the picture in the form in which it will be delivered.
  var wasInMemory: Bool {
    switch self {
    case .answered: true
    case .found(let product, let request, _): !request.transformsFirstFrame(of: product.parts.picture.image)
    case .seated, .failed: false
    }
  }

  /// Waits for the picture.
  func product() async throws -> Product {
    switch self {
    case .found(let product, _, _): return product
    case .seated(let seat, _, _): return try await seat.value()
    case .answered, .failed: preconditionFailure("There is nothing to wait for.")
    }
  }
}
