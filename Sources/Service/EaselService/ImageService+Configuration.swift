import EaselCore
import EaselManager
import EaselObserving
import EaselPixels
import EaselTiers

extension ImageService {
  /// The settings of a service.
  ///
  /// ```swift
  /// let signer = URLSigner([try URLSigner.Key(hexadecimal: "943b421c9eb07c83", salt: "520f986b998545b4")])
  /// var settings = ImageService.Configuration(.standard(), signer: signer)
  /// settings.negotiatedFormats = [.webp]
  /// settings.pathPrefix = "/pictures"
  /// ```
  public struct Configuration: Sendable {
    /// The loaders, coders and caches.
    ///
    /// The service adds its own gate, observer, limits and rules of freshness.
    public var manager: ImageManager.Configuration
    /// The grammars of URLs that are served, each at a prefix of its own; the longest one that fits reads a path.
    public var grammars: [GrammarMount]
    /// The scheme and host under which clients reach the server, for documents that name their own address.
    ///
    /// If it is nil, they name the `Host` of each request.
    public var publicOrigin: String?
    /// The sources from which pictures may be loaded.
    public var sources = SourceRules()
    /// The folder behind `local:///`, nil for none.
    public var folder: FolderLoader?
    /// The fields of requests that are passed on to sources.
    package var passing = PassedFields()
    /// The formats that are chosen by the client's `Accept` if a URL names none, in the server's order.
    ///
    /// An empty list turns negotiation off. Then originals in one of ``commonFormats`` and ``keptFormats`` keep their
    /// format, and others get the first common one that can hold what they have.
    public var negotiatedFormats: [ImageFormat] = []
    /// When AVIF is chosen, if it is one of ``negotiatedFormats``.
    public var avif = AVIFChoice()
    /// The formats that every client reads; one of them is chosen if the original has another.
    public var commonFormats: [ImageFormat] = [.jpeg, .png, .gif]
    /// The formats, besides the common ones, that an original may keep when the URL names none.
    public var keptFormats: [ImageFormat] = [.webp]
    /// The qualities of formats for URLs that state none, from 0 to 1; others have 0.8.
    ///
    /// Under such a URL an original whose format and size need not change goes out as it is, whatever its quality.
    public var qualities: [ImageFormat: Double] = [:]
    /// The meaning of qualities, also of those in URLs.
    public var qualityScale = QualityScale.looks
    /// The care with which pictures become smaller if a URL says nothing about it.
    ///
    /// The keys of ``EaselCore/Fidelity/fast`` are those of pictures that were made before there was a choice.
    public var fidelity = Fidelity.faithful
    /// True to make pictures smaller that would have a longer side than the limits of the manager allow.
    ///
    /// Otherwise they are refused.
    public var reducesResults = false
    /// True to follow the fields in which browsers tell their width and pixel ratio.
    public var usesClientHints = false
    /// True to keep EXIF and XMP if a URL says nothing about them.
    public var keepsMetadata = false
    /// The treatment of damaged pictures if a URL says nothing about them.
    public var damaged = DamagePolicy.whole
    /// The times for which pictures are kept.
    public var cacheLifetime = CacheLifetime()
    /// The time in which a request must be answered.
    ///
    /// One step of the work, as `Limits.decodeTime` of the manager bounds it, gets at most half of it.
    public var requestTime = Duration.seconds(30)
    /// The address or the file of the picture that is sent when another cannot be had, nil for none.
    public var fallbackSource: String?
    /// The status with which the fallback picture is sent.
    public var fallbackStatus = 200
    /// The address or the file of the watermark for URLs that ask for one without naming it, nil for none.
    public var watermarkSource: String?
    /// The purges of this server, and of those with which it shares a store.
    public var purges = PurgeLedger()
    /// The signer of requests to purge; nil to take none at the address of pictures.
    package var purgeSigner: URLSigner?
    /// The beginning of all paths, without a slash at its end.
    public var pathPrefix = ""
    /// The value of `Access-Control-Allow-Origin`, nil for none.
    public var allowedOrigin: String?
    /// True to send whole errors of the pipeline, which may name what is behind the server.
    public var showsErrors = false
    /// Puts the whole errors into the words of the program that serves, such as the names of its settings.
    package var wording: @Sendable (String) -> String = { $0 }
    /// The options of the program that serves, by the limits of the library that they set, such as
    /// `Limits.framePixels`.
    package var limitOptions: [String: String] = [:]
    /// True to name the source of each picture as its canonical address.
    public var sendsCanonicalLink = false
    /// The page on which URLs are tried out, nil for none.
    public var playground: Playground?
    /// How the files of some formats are written if a URL says nothing about it.
    ///
    /// Whatever is stated here is asked for, so an original must not stand for it.
    package var tunings: [ImageFormat: ImageOrder.Tuning] = [:]
    package var admission = AdmissionSettings()
    /// The queue for work on pixels, if it outlives the service; nil for one with the limits of ``admission``.
    package var queue: Admission?
    /// The field of requests that names the client, among whom the work is shared evenly; nil for its address.
    package var clientHeader: String?
    /// The rate of requests for pictures of one client; nil for no limit.
    package var clientRate: ClientRate?
    /// The memory for work on pixels; nil for no limit.
    package var memory: WorkMemory?
    /// The metrics to count in; nil for new ones.
    package var metrics: ServiceMetrics?
    /// The traces of requests and loads; nil for none.
    package var traces: OTLPTraces?
    /// The log of requests, nil for none.
    package var log: RequestLog?
    /// The version that metrics state.
    package var version = "unknown"

    /// Creates a configuration for URLs in imgproxy's grammar.
    ///
    /// Without a signer everybody can have any picture made.
    public init(_ manager: ImageManager.Configuration, signer: URLSigner?, rules: URLRules = URLRules()) {
      self.init(manager, reader: ImgproxyReader(rules: rules, signer: signer, formats: FormatNames(manager.coder)))
      purgeSigner = signer
    }

    /// Creates a configuration for URLs in any grammars.
    ///
    /// A grammar that checks no signatures lets everybody have any picture made of the sources that are allowed.
    public init(_ manager: ImageManager.Configuration, grammars: [GrammarMount]) {
      self.manager = manager
      self.grammars = grammars
    }

    package init(_ manager: ImageManager.Configuration, reader: any URLGrammar) {
      self.init(manager, grammars: [GrammarMount(reader)])
    }
  }
}
