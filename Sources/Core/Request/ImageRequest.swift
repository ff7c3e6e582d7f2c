import FoundationEssentials

/// What a caller asks for: where the picture is, and how it is wanted.
///
/// A request that is kept and used again is resolved only once.
public struct ImageRequest: Sendable {
  /// Where the picture is; nil, from a text that is no URL, makes the load fail with `invalidURL`.
  public var url: URL? { didSet { forgetResolution() } }
  /// Where else the picture is, asked in turn when the first place fails.
  public var fallbackURLs: [URL] = [] { didSet { forgetResolution() } }
  /// The HTTP method.
  ///
  /// A request whose method may change something (all but `GET`, `HEAD`, `OPTIONS` and `TRACE`) is always sent, alone,
  /// and its answer is not cached, whatever the policy. Where the server does not fail, what is cached of the URL is
  /// forgotten, and of the places on the same host that the answer names.
  public var method = "GET" { didSet { forgetResolution() } }
  /// The body to send.
  public var body: Data? { didSet { forgetResolution() } }
  /// The switches.
  public var options: ImageOptions { didSet { forgetResolution() } }
  /// Plug-ins and settings for this load.
  public var context: ImageContext { didSet { forgetResolution() } }
  /// How urgent it is; `lowPriority` and `highPriority` in the options override it.
  public var priority = LoadPriority.normal { didSet { forgetResolution() } }

  private var slot = ResolutionSlot()

  /// Creates a request.
  public init(url: URL?, options: ImageOptions = [], context: ImageContext = []) {
    self.url = url
    self.options = options
    self.context = context
  }

  /// Creates a request from a text.
  public init(_ text: String, options: ImageOptions = [], context: ImageContext = []) {
    self.init(url: text.isEmpty ? nil : URL(string: text), options: options, context: context)
  }

  /// What the request means to a manager: made at the first use and kept for the next ones.
  ///
  /// The request keeps `owner` alive from then on: a manager passes a small object of its own rather than itself.
  package func resolved(
    with configuration: @autoclosure () -> ImageManager.Configuration, by owner: any AnyObject & Sendable
  ) -> ResolvedRequest? {
    if let known = slot.load(), known.owner === owner { return known }
    guard let url else { return nil }
    let fresh = ResolvedRequest(self, url: url, configuration: configuration(), owner: owner)
    guard fresh.isLasting else { return fresh }
    let kept = slot.fill(fresh)
    return kept.owner === owner ? kept : fresh
  }

  /// The priority that the caller asks for, before anyone else has a say.
  var statedPriority: LoadPriority { options.priority ?? priority }

  private mutating func forgetResolution() { slot = ResolutionSlot() }
}
