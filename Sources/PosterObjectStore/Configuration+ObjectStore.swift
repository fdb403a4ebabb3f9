public import PosterKit

extension Configuration {
    /// The store that several nodes share, behind the disk; `nil`: none.
    public var objectStore: ObjectStoreSettings? {
        get { sharedStore as? ObjectStoreSettings }
        set { sharedStore = newValue }
    }
}

extension ObjectStoreSettings: SharedStoreSettings {
    package func open(
        for configuration: Configuration, log: Log, clock: TimeSource
    ) -> any SharedStore {
        SharedTier(self, configuration, log: log, clock: clock)
    }
}

extension PosterStore {
    /// The object store that it shares with other nodes; `nil` where there is none.
    package var objectStore: SharedTier? { shared as? SharedTier }

    /// Signs requests to the shared store with others from now on.
    public func replaceStoreCredentials(_ credentials: ObjectStoreCredentials) {
        objectStore?.replace(credentials)
    }
}
