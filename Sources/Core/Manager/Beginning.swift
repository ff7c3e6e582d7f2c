/// How far a load came without waiting.
enum Beginning: Sendable {
  /// Memory had what is wanted.
  case answered(FoundInMemory, ResolvedRequest)
  /// Memory had the picture, and something has to be added to it.
  case found(Picture, ResolvedRequest, RunningLoads.Place)
  /// It waits for a run.
  case seated(Seat<Picture>, ResolvedRequest, RunningLoads.Place)
  /// It cannot be loaded.
  case failed(ImageError)

  /// Whether the picture was in memory, as it will be shown.
  var wasInMemory: Bool {
    switch self {
    case .answered: true
    case .found(let picture, let request, _): !request.transformsFirstFrame(of: picture.image)
    case .seated, .failed: false
    }
  }

  /// The picture, as soon as it is there.
  func picture(in runs: SharedWork<PictureKey, Picture>) async throws -> Picture {
    switch self {
    case .found(let picture, _, _): return picture
    case .seated(let seat, _, _): return try await runs.value(at: seat)
    case .answered, .failed: preconditionFailure("There is nothing to wait for.")
    }
  }
}
