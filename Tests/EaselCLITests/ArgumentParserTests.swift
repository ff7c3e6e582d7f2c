import Testing

@testable import EaselCLI
