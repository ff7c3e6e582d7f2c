import EaselCore
import EaselManager
import EaselSupport

extension ImageManager {
  /// A manager for programs that need no other.
  ///
  /// Its first use creates it, with the standard configuration unless ``configureShared(_:)`` gave it another one.
  ///
  /// ```swift
  /// let image = try await ImageManager.shared.image(for: url)
  /// ```
  public static let shared = SharedManager.take()

  /// Gives ``shared`` its configuration; call it once, when the program starts, before anything uses ``shared``.
  ///
  /// Any thread may call it. If ``shared`` was used or configured before, nothing changes and the call throws
  /// ``SharedManagerIsSet``.
  ///
  /// ```swift
  /// try ImageManager.configureShared(.standard(cacheDirectory: "/var/cache/pictures"))
  /// ```
  public static func configureShared(_ configuration: Configuration) throws(SharedManagerIsSet) {
    try SharedManager.set(ImageManager(configuration))
  }

  /// The error of a call to ``configureShared(_:)`` that came too late.
  public enum SharedManagerIsSet: Error, Hashable, CustomStringConvertible {
    /// ``shared`` was used before, and has the standard configuration.
    case byUse
    /// An earlier call gave ``shared`` its configuration.
    case byConfiguration

    /// A sentence that says which use or call came first, and how to avoid it.
    public var description: String {
      let reason =
        switch self {
        case .byUse: "it was used before, and has the standard configuration"
        case .byConfiguration: "it was configured before"
        }
      return "ImageManager.shared cannot be configured: \(reason). Call configureShared(_:) once, when the program "
        + "starts, before anything uses ImageManager.shared."
    }
  }
}

/// Chooses between a configured and the standard manager for `ImageManager.shared`, once.
private enum SharedManager {
  private enum State {
    case open
    case configured(ImageManager)
    case standard
  }

  private static let state = Locked(State.open)

  static func set(_ manager: ImageManager) throws(ImageManager.SharedManagerIsSet) {
    try state.withLock { state throws(ImageManager.SharedManagerIsSet) in
      switch state {
      case .open: state = .configured(manager)
      case .configured: throw .byConfiguration
      case .standard: throw .byUse
      }
    }
  }

  /// Returns the manager, once: `shared` keeps it.
  static func take() -> ImageManager {
    let configured = state.withLock { state -> ImageManager? in
      if case .configured(let manager) = state { return manager }
      state = .standard
      return nil
    }
    return configured ?? ImageManager(.standard())
  }
}
