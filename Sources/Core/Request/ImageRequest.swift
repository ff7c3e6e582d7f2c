import FoundationEssentials
import Synchronization

/// A request for a picture: its location, and the options for loading it.
///
/// A request that is kept and used again is resolved only once.
///
/// ```swift
/// var request = ImageRequest(url: url, context: [.transformer(.resize(width: 320))])
/// request.fallbackURLs = [file]
/// request.priority = .high
/// let image = try await manager.image(for: request)
/// ```
public struct ImageRequest: Sendable {
  /// The URL of the picture.
  ///
  /// A load with nil, which a malformed text gives, fails with `invalidURL`.
  public var url: URL? {
    get { if case .url(let url) = source { url } else { nil } }
    set { source = .url(newValue) }
  }
  private var source: Source { didSet { forgetResolution() } }
  /// Alternative URLs of the picture, tried in order when ``url`` fails.
  public var fallbackURLs: [URL] = [] { didSet { forgetResolution() } }
  /// The HTTP method.
  ///
  /// An unsafe method (any except `GET`, `HEAD`, `OPTIONS` and `TRACE`) may change something on the server. Such a
  /// request is always sent, shares no work, and its response is never cached. Unless the server fails, the manager
  /// removes the cached entries of the URL and of the URLs on the same origin that the response names.
  public var method = "GET" { didSet { forgetResolution() } }
  /// The body to send.
  public var body: Data? { didSet { forgetResolution() } }
  /// The options of the load.
  public var options: ImageOptions { didSet { forgetResolution() } }
  /// Plug-ins and settings for this load.
  public var context: ImageContext { didSet { forgetResolution() } }
  /// The priority; `lowPriority` and `highPriority` in the options override it.
  public var priority = LoadPriority.normal { didSet { forgetResolution() } }

  private var slot = ResolutionSlot()

  /// Creates a request.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url, options: .retryFailed, context: [.cachePolicy(.http)])
  /// ```
  public init(url: URL?, options: ImageOptions = [], context: ImageContext = []) {
    self.init(from: .url(url), options: options, context: context)
  }

  init(from source: Source, options: ImageOptions, context: ImageContext) {
    self.source = source
    self.options = options
    self.context = context
  }

  /// Creates a request from a text.
  public init(_ text: String, options: ImageOptions = [], context: ImageContext = []) {
    self.init(url: text.isEmpty ? nil : URL(string: text), options: options, context: context)
  }

  /// Resolves the request for a manager.
  ///
  /// The first result is kept and reused.
  ///
  /// From then on the request keeps `owner` alive, so a manager passes a small object instead of itself.
  // Inlined, so that a request that is resolved already costs its caller no closure and no references to it.
  @inline(__always)
  package func resolved(
    with configuration: @autoclosure () -> ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    if let known = slot.load(), known.owner === owner, known.hasItsOrigin { return known }
    return resolveAnew(with: configuration(), by: owner)
  }

  @inline(never)
  private func resolveAnew(
    with configuration: ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    guard let fresh = newResolution(as: nil, configuration, owner) else { return nil }
    let kept = slot.fill(fresh)
    return kept.owner === owner && kept.origin == fresh.origin ? kept : fresh
  }

  /// Resolves the request for encoded bytes.
  ///
  /// The results for the first recipes are kept and reused.
  @inline(__always)
  func resolved(
    as recipe: EncodeRecipe, with configuration: @autoclosure () -> ImageManager.Configuration,
    by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    if let known = slot.load(recipe, owner), known.hasItsOrigin { return known }
    return resolveAnew(as: recipe, with: configuration(), by: owner)
  }

  @inline(never)
  private func resolveAnew(
    as recipe: EncodeRecipe, with configuration: ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    guard let fresh = newResolution(as: recipe, configuration, owner) else { return nil }
    slot.add(fresh, for: recipe)
    return fresh
  }

  private func newResolution(
    as recipe: EncodeRecipe?, _ configuration: ImageManager.Configuration, _ owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    if case .url(nil) = source { return nil }
    return ResolutionDepth.resolving {
      ResolvedRequest(self, from: source, as: recipe, configuration: configuration, owner: owner)
    }
  }

  /// The reason why the request cannot be resolved.
  var whyUnresolved: ImageError {
    guard case .url(let url?) = source else { return ImageError(.invalidURL, "The URL is empty or cannot be read.") }
    return ImageError(
      .invalidRequest,
      "A plug-in that helps to resolve the request, such as an options processor or a cache key filter, calls the "
        + "manager, which calls the plug-in again, without an end. Let it decide without the manager.",
      subject: url.absoluteString)
  }

  /// The priority that the caller requests, before the options processor runs.
  var statedPriority: LoadPriority { options.priority ?? priority }

  private mutating func forgetResolution() { slot = ResolutionSlot() }
}

extension ImageRequest {
  /// The origin of the bytes of a picture.
  enum Source: Sendable {
    case url(URL?)
    case bytes(BytesAtHand)
  }
}

/// Bytes that the caller passed in, so that nothing is loaded.
///
/// This is a class, so that bytes without a name can be told from all others by their object.
final class BytesAtHand: Sendable {
  /// Stands for the URL in errors.
  static let url = URL(string: "bytes:")!

  let bytes: ImageBytes
  let name: String?

  init(_ bytes: ImageBytes, name: String?) {
    self.bytes = bytes
    self.name = name
  }

  /// The caller keeps the original, so only variants are stored.
  var origin: ImageOrigin {
    ImageOrigin(key: Self.url.absoluteString, scope: name == nil ? nil : "bytes", diskUse: .variantsOnly)
  }
}

/// Keeps the resolved form of a request.
///
/// Copies of the request share it until one of them is changed.
///
/// `AtomicLazyReference` would do the same, but requests its metadata at every load, which takes longer than a lookup
/// in a memory cache.
final class ResolutionSlot: Sendable {
  // Filled at most once and never emptied, so the object lives as long as the slot.
  private let content = Atomic<Unmanaged<ResolvedRequest>?>(nil)
  /// The latest of the resolutions for encoded bytes, each with the one before it.
  private let encodings = Atomic<Unmanaged<Encoding>?>(nil)

  private final class Encoding: Sendable {
    let recipe: EncodeRecipe
    let resolved: ResolvedRequest
    let earlier: Encoding?
    let count: Int

    init(_ recipe: EncodeRecipe, _ resolved: ResolvedRequest, after earlier: Encoding?) {
      self.recipe = recipe
      self.resolved = resolved
      self.earlier = earlier
      count = (earlier?.count ?? 0) + 1
    }

    func find(_ wanted: EncodeRecipe, _ owner: any AnyObject & Sendable) -> ResolvedRequest? {
      if resolved.owner === owner, recipe == wanted { return resolved }
      return earlier?.find(wanted, owner)
    }
  }

  // More recipes of one request are resolved anew each time, because a longer search would cost more.
  private static let mostEncodings = 16

  deinit {
    content.load(ordering: .acquiring)?.release()
    encodings.load(ordering: .acquiring)?.release()
  }

  /// The resolution for a recipe; nil if it is not kept.
  func load(_ recipe: EncodeRecipe, _ owner: any AnyObject & Sendable) -> ResolvedRequest? {
    // Nothing is ever removed, so the latest one lives as long as the slot.
    encodings.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.find(recipe, owner) }
  }

  /// Keeps a resolution for a recipe, unless many are kept already.
  func add(_ fresh: ResolvedRequest, for recipe: EncodeRecipe) {
    var latest = encodings.load(ordering: .acquiring)
    while true {
      let earlier = latest?.takeUnretainedValue()
      guard (earlier?.count ?? 0) < Self.mostEncodings else { return }
      let mine = Unmanaged.passRetained(Encoding(recipe, fresh, after: earlier))
      let (isMine, found) = encodings.compareExchange(
        expected: latest, desired: mine, ordering: .acquiringAndReleasing)
      guard !isMine else {
        // The new one keeps the earlier one alive from now on.
        latest?.release()
        return
      }
      mine.release()
      latest = found
    }
  }

  func load() -> ResolvedRequest? { content.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Keeps `fresh` if the slot is empty, and returns the kept object.
  func fill(_ fresh: ResolvedRequest) -> ResolvedRequest {
    let mine = Unmanaged.passRetained(fresh)
    let (isMine, found) = content.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !isMine, let found else { return fresh }
    mine.release()
    return found.takeUnretainedValue()
  }
}
