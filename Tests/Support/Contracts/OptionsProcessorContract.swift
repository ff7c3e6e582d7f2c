import EaselCore
import EaselManager
import EaselTiers
import FoundationEssentials

/// The rules of every options processor.
public struct OptionsProcessorContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The same load gets the same options each time, so that stored pictures are found again.
    case isRepeatable
    /// Unknown settings of plug-ins are kept.
    case keepsUnknownSettings
    /// Every call returns.
    case ends
  }

  private enum UnknownKey: ImageContext.Key {
    static let name = "setting that nobody knows"
    static var impact: ImageContext.Impact<Int> { .neutral }
  }

  private let processor: any OptionsProcessor
  private let patience: Duration

  /// Tests this processor; `patience` is the longest time that one call may take.
  public init(_ processor: any OptionsProcessor, patience: Duration = .ofContracts) {
    self.processor = processor
    self.patience = patience
  }

  /// Returns the rules that the processor breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    for text in ["http://a/b.png", "http://a/b.gif?x=1", "file:///a.png", "data:,a"] {
      await steps.onThread("Processing a load of \(text)") { check(URL(string: text)!, findings) }
    }
    return findings.violations
  }

  private func check(_ url: URL, _ findings: Findings<Rule>) {
    for options in [ImageOptions(), .progressive, [.refreshCached, .highPriority]] {
      let (first, second) = (process(url, options), process(url, options))
      findings.require(
        first.options == second.options && key(url, first) == key(url, second), .isRepeatable,
        "\(url) is treated in another way the second time.")
      findings.require(
        first.context[UnknownKey.self] == 7, .keepsUnknownSettings, "A setting for \(url) is gone.")
    }
  }

  private func process(_ url: URL, _ options: ImageOptions) -> (options: ImageOptions, context: ImageContext) {
    var options = options
    var context: ImageContext = [.setting(UnknownKey.self, 7)]
    processor.process(url, options: &options, context: &context)
    return (options, context)
  }

  private func key(_ url: URL, _ load: (options: ImageOptions, context: ImageContext)) -> String? {
    let request = ImageRequest(url: url, options: load.options, context: load.context)
    let configuration = ImageManager.Configuration(loader: FakeLoader(), coder: CoderRegistry(), cache: TieredCache())
    return request.resolved(with: configuration, by: FakeLoader())?.variantKey.readable
  }
}
